#include "ramet/backends/gpu/ops/fused_elementwise.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "ramet/backends/gpu/launch.h"
#include "ramet/base/log.h"
#include "ramet/base/mutex.h"

namespace ramet::gpu {
namespace {

constexpr int kMaxInputs = FusableKernel::kMaxInputs;
constexpr int kMaxLayoutDims = 8;

// The dimensions of a result, innermost first, and the steps in each input.
struct FusedLayout {
  int rank = 0;
  std::array<int64_t, kMaxLayoutDims> dims;
  std::array<std::array<int64_t, kMaxLayoutDims>, kMaxInputs> steps;
};

// Writes the source of a fused kernel: a function for each part, which rounds its result as a
// separate kernel does, and the kernels fused_flat and fused_broadcast.
class FusedSource {
 public:
  FusedSource(std::span<const CodePart> parts, std::span<const DType> inputs)
      : parts_(parts), inputs_(inputs) {}

  std::string Make() const {
    std::string functions;
    for (size_t p = 0; p < parts_.size(); ++p) functions += FunctionOf(p);
    return StrCat(
        functions, "typedef struct { index_t v[8]; } Steps;\n", "KERNEL(fused_flat)(", Pointers(),
        ForInputs("index_t step%, "), "index_t n) {\nFOR_EACH(i, n) {\n", Body("i * step%"),
        "}\n}\n", "KERNEL(fused_broadcast)(", Pointers(), "Steps dims, ",
        ForInputs("Steps steps%, "), "index_t rank, index_t n) {\nFOR_EACH(i, n) {\n",
        "index_t rest = i;\n", ForInputs("index_t at% = 0;\n"),
        "for (int d = 0; d < (int)rank; ++d) {\n"
        "const index_t next = rest / dims.v[d];\n"
        "const index_t k = rest - next * dims.v[d];\n",
        ForInputs("at% += k * steps%.v[d];\n"), "rest = next;\n}\n", Body("at%"), "}\n}\n");
  }

 private:
  static std::string Replaced(std::string_view text, size_t number) {
    std::string replaced;
    for (char c : text) replaced += c == '%' ? std::to_string(number) : std::string(1, c);
    return replaced;
  }

  std::string ForInputs(std::string_view text) const {
    std::string all;
    for (size_t i = 0; i < inputs_.size(); ++i) all += Replaced(text, i);
    return all;
  }

  std::string Pointers() const {
    std::string all;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      all += StrCat("GLOBAL const stored_", DialectTag(inputs_[i]), "* x", i, ", ");
    }
    return StrCat(all, "GLOBAL stored_", DialectTag(parts_.back().code.result), "* y, ");
  }

  std::string FunctionOf(size_t p) const {
    const ElementwiseCode& code = parts_[p].code;
    const std::string_view result = DialectTag(code.result);
    std::string text;
    for (const char* macro : {"V", "K", "ADD", "SUB", "MUL", "SHIFT", "floor_mod"}) {
      text += StrCat("#undef ", macro, "\n");
    }
    for (const auto& [name, value] : ElementwiseDefinitions(code.operand)) {
      text += StrCat("#undef ", name, "\n#define ", name, " ", value, "\n");
    }
    text += kElementwiseMacros;
    if (code.expression.find("floor_mod") != std::string::npos) {
      text += StrCat("#define floor_mod floor_mod", p, "\n", kFloorMod);
    }
    const std::string_view second = code.form == ElementwiseForm::kUnary ? "" : ", V b";
    return StrCat(text, "FUNCTION value_", result, " part", p, "(V a", second, ") { return load_",
                  result, "(store_", result, "((", code.expression, "))); }\n");
  }

  // Computes element i. `position` is the element of input %.
  std::string Body(std::string_view position) const {
    std::string text;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const std::string_view tag = DialectTag(inputs_[i]);
      text += StrCat("const value_", tag, " v", i, " = load_", tag, "(x", i, "[",
                     Replaced(position, i), "]);\n");
    }
    for (size_t p = 0; p < parts_.size(); ++p) {
      text += StrCat("const value_", DialectTag(parts_[p].code.result), " r", p, " = part", p, "(");
      for (size_t k = 0; k < parts_[p].operands.size(); ++k) {
        const FusedOperand& operand = parts_[p].operands[k];
        text += StrCat(k > 0 ? ", " : "", operand.is_part ? "r" : "v", operand.index);
      }
      text += ");\n";
    }
    return StrCat(text, "y[i] = store_", DialectTag(parts_.back().code.result), "(r",
                  parts_.size() - 1, ");\n");
  }

  const std::span<const CodePart> parts_;
  const std::span<const DType> inputs_;
};

// Returns the program with a source, which is made once.
const Program& ProgramWith(std::string source) {
  static auto* const mutex = new Mutex;
  static auto* const programs = new std::map<std::string, std::pair<std::string, Program>>;
  MutexLock lock(*mutex);
  auto [found, added] = programs->try_emplace(std::move(source));
  auto& [name, program] = found->second;
  if (added) {
    name = StrCat("fused ", programs->size());
    program = {name, found->first};
  }
  return program;
}

// Returns the number of elements between neighbors along dimension `d` of a result of this rank.
int64_t StepAlong(int d, int rank, const Shape& input) {
  const int own = d - (rank - input.rank());
  if (own < 0 || input.dim(own) == 1) return 0;
  int64_t step = 1;
  for (int k = own + 1; k < input.rank(); ++k) step *= input.dim(k);
  return step;
}

class FusedElementwiseKernel final : public FusedKernel {
 public:
  FusedElementwiseKernel(std::vector<CodePart> parts, std::vector<DType> inputs)
      : parts_(std::move(parts)),
        inputs_(std::move(inputs)),
        program_(FusedProgram(parts_, inputs_)),
        flat_{*program_.program, "fused_flat", program_.definitions},
        broadcast_{*program_.program, "fused_broadcast", program_.definitions} {}

  bool Compute(KernelContext& c) override {
    Shape shape;
    if (!InputsFit(c) || !ResultShape(c, &shape)) return false;
    const int64_t n = shape.num_elements();
    FusedLayout layout;
    const bool is_flat = IsFlat(c, n);
    if (!is_flat && !MakeLayout(c, shape, &layout)) return false;
    const auto result = Output(c, shape);
    if (!result.ok()) return false;
    if (n == 0) return true;
    const Status status = is_flat ? LaunchFlat(c, **result) : LaunchBroadcast(c, layout, **result);
    if (status.ok()) {
      DeviceOf(c).queue().CountFused();
    } else {
      LogOnce(LogLevel::kWarning, program_.program->name,
              StrCat("a fused kernel is not used: ", status.message()));
    }
    return status.ok();
  }

 private:
  bool InputsFit(const KernelContext& c) const {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const Tensor& x = c.input(static_cast<int>(i));
      if (x.empty() || x.dtype() != inputs_[i] || x.memory() != c.env().memory) return false;
    }
    return true;
  }

  // Sets the shape of the result. Returns false if the shapes of a part do not fit.
  bool ResultShape(const KernelContext& c, Shape* result) const {
    std::array<Shape, FusableKernel::kMaxParts> made;
    std::array<const Shape*, FusableKernel::kMaxParts> shapes;
    const auto shape_of = [&](const FusedOperand& operand) {
      return operand.is_part ? shapes[operand.index] : &c.input(operand.index).shape();
    };
    for (size_t p = 0; p < parts_.size(); ++p) {
      const CodePart& part = parts_[p];
      shapes[p] = shape_of(part.operands[0]);
      if (part.operands.size() == 1) continue;
      const Shape* const b = shape_of(part.operands[1]);
      if (*shapes[p] == *b) continue;
      if (part.code.form != ElementwiseForm::kBroadcast) return false;
      auto both = BroadcastShapes(*shapes[p], *b);
      if (!both.ok()) return false;
      made[p] = *std::move(both);
      shapes[p] = &made[p];
    }
    *result = *shapes[parts_.size() - 1];
    return true;
  }

  bool IsFlat(const KernelContext& c, int64_t n) const {
    for (int i = 0; i < c.num_inputs(); ++i) {
      const int64_t count = c.input(i).num_elements();
      if (count != n && count != 1) return false;
    }
    return true;
  }

  // Merges dimensions that are neighbors in the memory of all inputs. Returns false if too
  // many are left.
  bool MakeLayout(const KernelContext& c, const Shape& shape, FusedLayout* layout) const {
    for (int d = shape.rank() - 1; d >= 0; --d) {
      if (shape.dim(d) == 1) continue;
      std::array<int64_t, kMaxInputs> steps;
      bool extends = layout->rank > 0;
      for (size_t i = 0; i < inputs_.size(); ++i) {
        steps[i] = StepAlong(d, shape.rank(), c.input(static_cast<int>(i)).shape());
        if (!extends) continue;
        const int last = layout->rank - 1;
        extends = steps[i] == layout->steps[i][last] * layout->dims[last];
      }
      if (extends) {
        layout->dims[layout->rank - 1] *= shape.dim(d);
        continue;
      }
      if (layout->rank == kMaxLayoutDims) return false;
      layout->dims[layout->rank] = shape.dim(d);
      for (size_t i = 0; i < inputs_.size(); ++i) layout->steps[i][layout->rank] = steps[i];
      ++layout->rank;
    }
    return true;
  }

  // Reuses the buffer of an input of the result's dtype if it can.
  StatusOr<Tensor*> Output(KernelContext& c, const Shape& shape) const {
    const DType dtype = parts_.back().code.result;
    std::array<int, kMaxInputs> same;
    const auto first = std::ranges::find(inputs_, dtype);
    if (first == inputs_.end()) return c.Allocate(0, dtype, shape);
    same.fill(static_cast<int>(first - inputs_.begin()));
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i] == dtype) same[i] = static_cast<int>(i);
    }
    static_assert(kMaxInputs == 8);
    return c.ForwardOrAllocate(
        0, {same[0], same[1], same[2], same[3], same[4], same[5], same[6], same[7]}, dtype, shape);
  }

  Status LaunchFlat(KernelContext& c, const Tensor& result) const {
    const int64_t n = result.num_elements();
    std::vector<LaunchArgument> arguments = Tensors(c, result);
    for (int i = 0; i < c.num_inputs(); ++i) {
      arguments.emplace_back(Index{c.input(i).num_elements() == n ? 1 : 0});
    }
    arguments.emplace_back(Index{n});
    return LaunchForEach(c, flat_, n, arguments);
  }

  Status LaunchBroadcast(KernelContext& c, const FusedLayout& layout, const Tensor& result) const {
    const int64_t n = result.num_elements();
    std::vector<LaunchArgument> arguments = Tensors(c, result);
    arguments.push_back(StepsArgument(layout.dims, layout.rank, n));
    for (size_t i = 0; i < inputs_.size(); ++i) {
      arguments.push_back(StepsArgument(layout.steps[i], layout.rank, n));
    }
    arguments.emplace_back(Index{layout.rank});
    arguments.emplace_back(Index{n});
    return LaunchForEach(c, broadcast_, n, arguments);
  }

  static std::vector<LaunchArgument> Tensors(const KernelContext& c, const Tensor& result) {
    std::vector<LaunchArgument> tensors;
    for (int i = 0; i < c.num_inputs(); ++i) tensors.emplace_back(c.input(i));
    tensors.emplace_back(result);
    return tensors;
  }

  // Returns an argument of type Steps, whose index_t depends on the number of elements.
  static LaunchArgument StepsArgument(std::span<const int64_t> steps, int rank, int64_t n) {
    std::array<int64_t, kMaxLayoutDims> large = {};
    std::array<int32_t, kMaxLayoutDims> small = {};
    for (int d = 0; d < rank; ++d) {
      large[d] = steps[d];
      small[d] = static_cast<int32_t>(steps[d]);
    }
    if (n > std::numeric_limits<int32_t>::max()) return large;
    return small;
  }

  const std::vector<CodePart> parts_;
  const std::vector<DType> inputs_;
  const ProgramVariant program_;
  const KernelSpec flat_, broadcast_;
};

}  // namespace

// Kernels on doubles are errors on devices without them; a definition names the dtype.
ProgramVariant FusedProgram(std::span<const CodePart> parts, std::span<const DType> inputs) {
  const bool has_double =
      std::ranges::find(inputs, kDouble) != inputs.end() ||
      std::ranges::any_of(parts, [](const CodePart& p) { return p.code.result == kDouble; });
  return {&ProgramWith(FusedSource(parts, inputs).Make()),
          has_double ? Definitions{{"NEEDS", "f64"}} : Definitions{}};
}

std::unique_ptr<FusedKernel> FusableElementwise::Fuse(std::span<const FusedPart> parts,
                                                      int num_inputs) const {
  std::vector<CodePart> made;
  std::vector<DType> inputs(num_inputs, DType::kInvalid);
  for (const FusedPart& part : parts) {
    const auto* const kernel = dynamic_cast<const FusableElementwise*>(part.kernel);
    if (kernel == nullptr) return nullptr;
    made.push_back({kernel->code(), part.operands});
    for (const FusedOperand& operand : part.operands) {
      if (!operand.is_part) inputs[operand.index] = made.back().code.operand;
    }
  }
  return std::make_unique<FusedElementwiseKernel>(std::move(made), std::move(inputs));
}

}  // namespace ramet::gpu
