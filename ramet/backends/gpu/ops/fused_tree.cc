#include "ramet/backends/gpu/ops/fused_tree.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "ramet/base/log.h"
#include "ramet/base/mutex.h"

namespace ramet::gpu {
namespace {

// Names that the functions of parts define, each for itself.
constexpr const char* kPartMacros[] = {"V", "K", "ADD", "SUB", "MUL", "SHIFT", "floor_mod"};

bool IsBiasOf(const Shape& bias, const Shape& x) {
  return x.rank() >= 2 && bias.rank() == 1 && bias.dim(0) == x.dim(x.rank() - 1);
}

// Returns the number of elements between neighbors along dimension `d` of a result of this rank.
int64_t StepAlong(int d, int rank, const Shape& input) {
  const int own = d - (rank - input.rank());
  if (own < 0 || input.dim(own) == 1) return 0;
  int64_t step = 1;
  for (int k = own + 1; k < input.rank(); ++k) step *= input.dim(k);
  return step;
}

std::string Replaced(std::string_view text, size_t number) {
  std::string replaced;
  for (char c : text) replaced += c == '%' ? std::to_string(number) : std::string(1, c);
  return replaced;
}

}  // namespace

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

bool NoteFused(GpuDevice& device, std::string_view program, const Status& status) {
  if (status.ok()) {
    device.queue().CountFused();
  } else {
    LogOnce(LogLevel::kWarning, program, StrCat("a fused kernel is not used: ", status.message()));
  }
  return status.ok();
}

bool FusedTree::InputsFit(const KernelContext& c) const {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Tensor& x = c.input(static_cast<int>(i));
    if (x.empty() || x.dtype() != inputs_[i] || x.memory() != c.env().memory) return false;
  }
  return true;
}

bool FusedTree::SetShape(const KernelContext& c, Shape* shape) const {
  if (!InputsFit(c)) return false;
  std::array<Shape, FusableKernel::kMaxParts> made;
  std::array<const Shape*, FusableKernel::kMaxParts> shapes;
  const auto shape_of = [&](const FusedOperand& operand) {
    return operand.is_part ? shapes[operand.index] : &c.input(operand.index).shape();
  };
  for (size_t p = 0; p < parts_.size(); ++p) {
    const CodePart& part = parts_[p];
    shapes[p] = shape_of(part.operands[0]);
    for (size_t k = 1; k < part.operands.size(); ++k) {
      const Shape* const b = shape_of(part.operands[k]);
      if (part.code.form == ElementwiseForm::kBias) {
        if (!IsBiasOf(*b, *shapes[p])) return false;
        continue;
      }
      if (*shapes[p] == *b) continue;
      if (part.code.form != ElementwiseForm::kBroadcast) return false;
      auto both = BroadcastShapes(*shapes[p], *b);
      if (!both.ok()) return false;
      made[p] = *std::move(both);
      shapes[p] = &made[p];
    }
  }
  *shape = *shapes[parts_.size() - 1];
  for (size_t p = 0; p < parts_.size(); ++p) {
    if (parts_[p].is_kept && *shapes[p] != *shape) return false;
  }
  return true;
}

bool FusedTree::AllocateKept(KernelContext& c, const Shape& shape) const {
  int output = 0;
  for (const CodePart& part : parts_) {
    if (part.is_kept && !c.Allocate(output++, part.code.result, shape).ok()) return false;
  }
  return true;
}

bool FusedTree::DropOutputs(KernelContext& c) const {
  for (int k = 0; k <= num_kept(); ++k) c.SetOutput(k, Tensor());
  return false;
}

bool FusedTree::SetLayout(const KernelContext& c, const Shape& shape, Layout* layout) const {
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
    if (layout->rank == kMaxDims) return false;
    layout->dims[layout->rank] = shape.dim(d);
    for (size_t i = 0; i < inputs_.size(); ++i) layout->steps[i][layout->rank] = steps[i];
    ++layout->rank;
  }
  return true;
}

void AppendSteps(const FusedTree::Layout& layout, int num_inputs, int64_t n,
                 std::vector<LaunchArgument>* arguments) {
  const bool is_large = n > std::numeric_limits<int32_t>::max();
  const auto append = [&](const FusedTree::Sizes& sizes) {
    std::array<int32_t, FusedTree::kMaxDims> small;
    std::ranges::transform(sizes, small.begin(), [](int64_t v) { return static_cast<int32_t>(v); });
    arguments->push_back(is_large ? LaunchArgument(sizes) : LaunchArgument(small));
  };
  append(layout.dims);
  for (int i = 0; i < num_inputs; ++i) append(layout.steps[i]);
}

std::string FusedSource::ForInputs(std::string_view text) const {
  std::string all;
  for (size_t i = 0; i < inputs_.size(); ++i) all += Replaced(text, i);
  return all;
}

std::string FusedSource::Pointers() const {
  std::string all;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    all += StrCat("GLOBAL const stored_", DialectTag(inputs_[i]), "* x", i, ", ");
  }
  return all;
}

std::string FusedSource::ForKept(std::string_view text) const {
  std::string all;
  for (size_t p = 0; p < parts_.size(); ++p) {
    if (parts_[p].is_kept) all += Replaced(text, p);
  }
  return all;
}

// No other pointer of a kernel names their memory.
std::string FusedSource::KeptPointers() const {
  std::string all;
  for (size_t p = 0; p < parts_.size(); ++p) {
    if (!parts_[p].is_kept) continue;
    all += StrCat("GLOBAL stored_", DialectTag(parts_[p].code.result), "* RESTRICT y", p, ", ");
  }
  return all;
}

std::string FusedSource::ValueOf(const FusedOperand& operand) const {
  return StrCat(operand.is_part ? "r" : "v", operand.index);
}

// Undefines the macros of a part and the one after which follows other text.
std::string FusedSource::Functions() const {
  std::string functions = "typedef struct { index_t v[8]; } Steps;\n";
  for (size_t p = 0; p < parts_.size(); ++p) functions += FunctionOf(p);
  for (const char* macro : kPartMacros) functions += StrCat("#undef ", macro, "\n");
  return functions;
}

std::string FusedSource::FunctionOf(size_t p) const {
  const ElementwiseCode& code = parts_[p].code;
  const std::string_view result = DialectTag(code.result);
  std::string text;
  for (const char* macro : kPartMacros) {
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

std::string FusedSource::StepsParameters() const {
  return StrCat("Steps dims, ", ForInputs("Steps steps%, "));
}

// A function of the inputs' elements that computes the last part, and stores the parts that are
// kept at `p`.
std::string FusedSource::ValueFunction() const {
  std::string text = StrCat("FUNCTION value_", DialectTag(parts_.back().code.result),
                            " fused_value(", KeptPointers(), "index_t p");
  for (size_t i = 0; i < inputs_.size(); ++i) {
    text += StrCat(", value_", DialectTag(inputs_[i]), " v", i);
  }
  text += ") {\n";
  for (size_t p = 0; p < parts_.size(); ++p) {
    const std::string_view tag = DialectTag(parts_[p].code.result);
    text += StrCat("const value_", tag, " r", p, " = ", CallOf(p), ";\n");
    if (parts_[p].is_kept) text += StrCat("y", p, "[p] = store_", tag, "(r", p, ");\n");
  }
  return StrCat(text, "return r", parts_.size() - 1, ";\n}\n");
}

// The value of a part: its function, applied to all operands from the left.
std::string FusedSource::CallOf(size_t p) const {
  const auto& [code, operands, is_kept] = parts_[p];
  std::string value = ValueOf(operands[0]);
  if (code.form == ElementwiseForm::kUnary) return StrCat("part", p, "(", value, ")");
  for (size_t k = 1; k < operands.size(); ++k) {
    value = StrCat("part", p, "(", value, ", ", ValueOf(operands[k]), ")");
  }
  return value;
}

// A function that computes element `p`. It is inlined, so that the loads of several elements can be
// started before their values are computed.
std::string FusedSource::Element() const {
  std::string text =
      StrCat(ValueFunction(), "INLINE_FUNCTION value_", DialectTag(parts_.back().code.result),
             " fused_element(", Pointers(), KeptPointers(), StepsParameters(),
             "index_t p) {\nindex_t rest = p;\n", ForInputs("index_t at% = 0;\n"),
             "UNROLL for (int d = 0; d < RANK - 1; ++d) {\n",
             "const index_t next = DIVIDE(rest, dims.v[d]);\n",
             "const index_t k = rest - next * dims.v[d];\n", ForInputs("at% += k * steps%.v[d];\n"),
             "rest = next;\n}\n", "return fused_value(", ForKept("y%, "), "p");
  for (size_t i = 0; i < inputs_.size(); ++i) {
    text += Replaced(
        StrCat(", load_", DialectTag(inputs_[i]), "(x%[at% + rest * steps%.v[RANK - 1]])"), i);
  }
  return StrCat(text, ");\n}\n#define FUSED_ELEMENT(p) fused_element(", ForInputs("x%, "),
                ForKept("y%, "), "dims, ", ForInputs("steps%, "), "p)\n");
}

std::string FusedSource::Elementwise() const {
  const std::string_view result = DialectTag(parts_.back().code.result);
  return StrCat(Functions(), Element(), "KERNEL(fused)(", Pointers(), KeptPointers(),
                "GLOBAL stored_", result, "* y, ", StepsParameters(),
                "index_t n) {\nFOR_EACH(i, n) y[i] = store_", result, "(FUSED_ELEMENT(i));\n}\n");
}

std::string FusedSource::Operands() const {
  std::string parameters = StrCat(Pointers(), KeptPointers(), StepsParameters());
  parameters.resize(parameters.size() - 2);  // a comma
  return StrCat(Functions(), Element(), "#define OPERANDS ", parameters,
                "\n#define ELEMENT(p) FUSED_ELEMENT(p)\n");
}

}  // namespace ramet::gpu
