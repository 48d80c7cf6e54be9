#include "ramet/runtime/fused_elementwise.h"

#include <algorithm>
#include <array>
#include <optional>

#include "ramet/linalg/stream_copy.h"

namespace ramet {
namespace {

using linalg::ElementLayout;
using linalg::ElementProgram;

constexpr int64_t kMaxGivenSizes = 8;

int64_t IntegerAt(const Tensor& t, int64_t i) {
  return t.dtype() == DType::kInt32 ? t.data<int32_t>()[i] : t.data<int64_t>()[i];
}

// Reports whether a tensor of shape `small` broadcasts to `wide`.
bool BroadcastsTo(const Shape& small, const Shape& wide) {
  const int lead = wide.rank() - small.rank();
  if (lead < 0) return false;
  for (int d = 0; d < small.rank(); ++d) {
    if (small.dim(d) != wide.dim(lead + d) && small.dim(d) != 1) return false;
  }
  return true;
}

// Returns the broadcast of two shapes if it is one of them, and otherwise null.
const Shape* BroadcastOf(const Shape* a, const Shape* b) {
  if (a == nullptr || b == nullptr) return nullptr;
  if (a == b || *a == *b || BroadcastsTo(*b, *a)) return a;
  return BroadcastsTo(*a, *b) ? b : nullptr;
}

}  // namespace

// One computation.
class FusedElementwise::Run {
 public:
  Run(const FusedElementwise& pass, KernelContext& context) : pass_(pass), context_(context) {
    if (pass.target_ < 0) return;
    read_.emplace();
    for (int i = 0; i < program().num_inputs(); ++i) {
      if (context.variable(i) != nullptr && !IsTarget(i)) {
        (*read_)[i] = context.Read(*context.variable(i));
      }
    }
  }

  // Takes the inputs; `old` is the target's value, if there is a target. Returns false if they do
  // not fit.
  bool Take(const Tensor& old) {
    for (int i = 0; i < program().num_inputs(); ++i) {
      const Tensor& value = InputOf(i, old);
      inputs_[i] = &value;
      if (value.empty() || static_cast<linalg::Type>(value.dtype()) != program().input_type(i)) {
        return false;
      }
      buffers_.inputs[i] = value.raw_data();
      shapes_[i] = &value.shape();
    }
    if (pass_.keeps_shape_ && InputsAreAlike()) {
      if (!LayOutAlike()) return false;
    } else if (!FindShapes() || !FindLayout() || !program().Resolve(layout_, varies_)) {
      return false;
    }
    if (pass_.target_ >= 0 && *ShapeOf(program().outputs()[0]) != old.shape()) return false;
    // A value that only repeats a smaller one is not computed here.
    return std::ranges::all_of(program().outputs(), [this](int8_t value) {
      return ShapeOf(value)->num_elements() == layout_.SizeOf(varies_[value]);
    });
  }

  // Allocates output `o`.
  bool Allocate(int o) {
    const int8_t value = program().outputs()[o];
    std::array<int, 8> reusable;
    size_t count = 0;
    for (int i = 0; i < program().num_inputs() && count < reusable.size(); ++i) {
      if (MayReuse(i, value)) reusable[count++] = i;
    }
    const auto at = [&](size_t i) { return reusable[std::min(i, count - 1)]; };
    const auto dtype = static_cast<DType>(program().type_of(value));
    const Shape& shape = *ShapeOf(value);
    auto y = count == 0
                 ? context_.Allocate(o, dtype, shape)
                 : context_.ForwardOrAllocate(
                       o, {at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)}, dtype, shape);
    if (!y.ok()) return false;
    buffers_.outputs[o] = (*y)->raw_data();
    return true;
  }

  void Write() const { program().Run(layout_, varies_, buffers_, false); }
  // Writes the only output to `out`, which may be an input's buffer; past the caches if `streamed`.
  void WriteTo(void* out, bool streamed) {
    buffers_.outputs[0] = out;
    const bool one_row = layout_.planes() * layout_.rows() == 1;
    const bool many = varies_[program().outputs()[0]] != 0;
    program().Run(layout_, varies_, buffers_, streamed && one_row && many);
  }

 private:
  static constexpr int kMaxValues = ElementProgram::kMaxValues;

  const ElementProgram& program() const { return pass_.program_; }
  const Shape* ShapeOf(int value) const { return shapes_[value]; }
  bool IsUsed(int input) const { return program().last_reader(input) >= 0; }

  bool IsTarget(int i) const {
    return pass_.target_ >= 0 && context_.variable(i) == context_.variable(pass_.target_);
  }

  const Tensor& InputOf(int i, const Tensor& old) const {
    if (pass_.target_ < 0 || context_.variable(i) == nullptr) return context_.input(i);
    return IsTarget(i) ? old : (*read_)[i];
  }

  bool InputsAreAlike() const {
    const auto inputs = std::span(shapes_).first(program().num_inputs());
    return std::ranges::all_of(inputs, [&](const Shape* s) { return *s == *inputs[0]; });
  }

  // Does what FindShapes and FindLayout do, for inputs of one shape.
  bool LayOutAlike() {
    const int64_t size = shapes_[0]->num_elements();
    const size_t num_values = program().num_inputs() + pass_.rules_.size();
    layout_ = ElementLayout::Flat(size, program().num_inputs(), 0);
    std::fill_n(shapes_.begin(), num_values, shapes_[0]);
    std::fill_n(varies_.begin(), num_values, layout_.varies(0));
    return size > 0;
  }

  // Finds the shapes of all values.
  bool FindShapes() {
    int num_reduced = 0;
    for (size_t i = 0; i < pass_.rules_.size(); ++i) {
      const auto& operands = program().instructions()[i].operands;
      const Shape* shape = shapes_[operands[0]];
      switch (pass_.rules_[i].rule) {
        case ShapeRule::kUnchanged: break;
        case ShapeRule::kBroadcast:
          for (int k = 1; k < program().instructions()[i].num_operands; ++k) {
            shape = BroadcastOf(shape, shapes_[operands[k]]);
          }
          break;
        case ShapeRule::kSame:
          for (int k = 1; k < program().instructions()[i].num_operands; ++k) {
            if (*shapes_[operands[k]] != *shape) return false;
          }
          break;
        case ShapeRule::kBias:
          if (!IsBias(*shapes_[operands[1]], *shape)) return false;
          break;
        case ShapeRule::kSizes:
        case ShapeRule::kMultiples: shape = FindShape(pass_.rules_[i], *shape); break;
        case ShapeRule::kLike: shape = shapes_[pass_.rules_[i].given.value]; break;
        default:
          if (!Reduce(pass_.rules_[i], *shape, &reduced_[num_reduced])) return false;
          shape = &reduced_[num_reduced++];
      }
      if (shape == nullptr) return false;
      shapes_[program().num_inputs() + i] = shape;
    }
    return true;
  }

  // Finds the given shape among those of the inputs, because only then does the pass have an
  // element for each of its elements. Returns null otherwise.
  const Shape* FindShape(const Rule& rule, const Shape& operand) const {
    std::array<int64_t, kMaxGivenSizes> read;
    std::span<const int64_t> sizes = rule.given.constant;
    if (rule.given.value >= 0) {
      const Tensor& given = *inputs_[rule.given.value];
      const int64_t n = given.num_elements();
      if (given.rank() != 1 || n > kMaxGivenSizes) return nullptr;
      for (int64_t d = 0; d < n; ++d) read[d] = IntegerAt(given, d);
      sizes = std::span(read).first(n);
    }
    for (int i = 0; i < program().num_inputs(); ++i) {
      const bool multiples = rule.rule == ShapeRule::kMultiples;
      if (multiples ? IsTiled(operand, sizes, *shapes_[i])
                    : std::ranges::equal(sizes, shapes_[i]->dims()) &&
                          BroadcastsTo(operand, *shapes_[i])) {
        return shapes_[i];
      }
    }
    return nullptr;
  }

  // Reports whether tiles of a shape make the other one, and only dimensions of size 1 are
  // repeated.
  static bool IsTiled(const Shape& tile, std::span<const int64_t> multiples, const Shape& whole) {
    const int rank = tile.rank();
    if (rank != whole.rank() || rank != static_cast<int>(multiples.size())) return false;
    for (int d = 0; d < rank; ++d) {
      if (tile.dim(d) == 1 ? multiples[d] != whole.dim(d)
                           : multiples[d] != 1 || tile.dim(d) != whole.dim(d)) {
        return false;
      }
    }
    return true;
  }

  static bool IsBias(const Shape& bias, const Shape& value) {
    return value.rank() >= 2 && bias.rank() == 1 && bias.dim(0) == value.dim(value.rank() - 1);
  }

  static bool Reduce(const Rule& rule, const Shape& shape, Shape* reduced) {
    const int last = shape.rank() - 1;
    if (last < 0 || (rule.axis != last && rule.axis != -1)) return false;
    if (rule.rule == ShapeRule::kReduce) {
      *reduced = shape.Slice(0, last);
    } else {
      *reduced = shape;
      reduced->set_dim(last, 1);
    }
    return true;
  }

  // Lays out the inputs over the widest of them.
  bool FindLayout() {
    const Shape* widest = nullptr;
    int64_t size = -1;
    uint32_t single = 0;
    for (int i = 0; i < program().num_inputs(); ++i) {
      const int64_t n = IsUsed(i) ? shapes_[i]->num_elements() : 1;
      if (n == 1) single |= uint32_t{1} << i;
      if (!IsUsed(i) || n < size) continue;
      if (n > size || shapes_[i]->rank() > widest->rank()) widest = shapes_[i];
      size = n;
    }
    if (size <= 0) return false;
    if (!program().reduces() && IsFlat(*widest, single)) {
      layout_ = ElementLayout::Flat(size, program().num_inputs(), single);
      return true;
    }
    std::array<ElementLayout::Shape, kMaxInputs> operands;
    for (int i = 0; i < program().num_inputs(); ++i) {
      operands[i] = IsUsed(i) ? shapes_[i]->dims() : ElementLayout::Shape();
    }
    return ElementLayout::Make(widest->dims(), std::span(operands).first(program().num_inputs()),
                               program().reduces(), &layout_);
  }

  // Reports whether each input has the shape, or one element if its bit in `single` is set.
  bool IsFlat(const Shape& shape, uint32_t single) const {
    for (int i = 0; i < program().num_inputs(); ++i) {
      if (!IsUsed(i) || shapes_[i] == &shape) continue;
      const bool fits =
          (single >> i & 1) != 0 ? shapes_[i]->rank() <= shape.rank() : *shapes_[i] == shape;
      if (!fits) return false;
    }
    return true;
  }

  // Reports whether the buffer of input `i` may become that of output `value`.
  bool MayReuse(int i, int8_t value) const {
    const bool read_later = program().last_reader(i) > value - program().num_inputs();
    return !read_later && varies_[i] == varies_[value] && (varies_[i] != 0 || layout_.size() == 1);
  }

  const FusedElementwise& pass_;
  KernelContext& context_;
  std::optional<std::array<Tensor, kMaxInputs>> read_;  // variables that are not the target
  std::array<const Tensor*, kMaxInputs> inputs_;
  std::array<const Shape*, kMaxValues> shapes_;
  std::array<Shape, kMaxReductions> reduced_;
  std::array<uint8_t, kMaxValues> varies_;
  ElementLayout layout_;
  ElementProgram::Buffers buffers_;
};

FusedElementwise::FusedElementwise(std::vector<linalg::Type> inputs, const std::vector<Part>& parts,
                                   std::vector<int8_t> outputs, int target)
    : keeps_shape_(!inputs.empty()), target_(target) {
  std::vector<linalg::ElementInstruction> instructions;
  for (const Part& part : parts) {
    instructions.push_back(part.instruction);
    rules_.push_back({part.rule, part.axis, part.given});
    keeps_shape_ &= part.rule <= ShapeRule::kSame && part.instruction.num_operands > 0;
  }
  program_ = ElementProgram(std::move(inputs), std::move(instructions), std::move(outputs));
}

bool FusedElementwise::Compute(KernelContext& c) const {
  if (target_ >= 0) return Assign(c);
  Run run(*this, c);
  if (!run.Take(Tensor())) return false;
  const int num_outputs = static_cast<int>(program_.outputs().size());
  for (int o = 0; o < num_outputs; ++o) {
    if (run.Allocate(o)) continue;
    for (int k = 0; k < o; ++k) c.output(k) = Value();
    return false;
  }
  run.Write();
  return true;
}

bool FusedElementwise::Assign(KernelContext& c) const {
  if (c.variable(target_) == nullptr) return false;
  Run run(*this, c);
  {
    const Tensor old = c.Read(*c.variable(target_));
    if (old.empty() || !run.Take(old)) return false;
  }
  const Status status = c.ModifyRef(target_, [&](const Tensor& old, Tensor& out) -> Status {
    if (!run.Take(old)) return Internal("the variable has another shape now");
    const bool fresh = out.raw_data() != old.raw_data();
    run.WriteTo(out.raw_data(), fresh && out.bytes() >= linalg::kStreamedBytes);
    return OkStatus();
  });
  if (!status.ok()) return false;
  if (c.num_outputs() > 0) c.SetRefOutput(0, c.variable(target_));
  return true;
}

}  // namespace ramet
