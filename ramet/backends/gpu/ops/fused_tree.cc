#include "ramet/backends/gpu/ops/fused_tree.h"

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
    if (part.operands.size() == 1) continue;
    const Shape* const b = shape_of(part.operands[1]);
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
  *shape = *shapes[parts_.size() - 1];
  return true;
}

bool FusedTree::IsFlat(const KernelContext& c, int64_t n) const {
  for (int i = 0; i < num_inputs(); ++i) {
    const int64_t count = c.input(i).num_elements();
    if (count != n && count != 1) return false;
  }
  return true;
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

LaunchArgument StepsArgument(std::span<const int64_t> steps, int rank, int64_t n) {
  std::array<int64_t, FusedTree::kMaxDims> large = {};
  std::array<int32_t, FusedTree::kMaxDims> small = {};
  for (int d = 0; d < rank; ++d) {
    large[d] = steps[d];
    small[d] = static_cast<int32_t>(steps[d]);
  }
  if (n > std::numeric_limits<int32_t>::max()) return large;
  return small;
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

// Finds the positions in the inputs of element `rest`, along all dimensions.
std::string FusedSource::Positions() const {
  return StrCat(
      "for (int d = 0; d < (int)rank; ++d) {\n"
      "const index_t next = rest / dims.v[d];\n"
      "const index_t k = rest - next * dims.v[d];\n",
      ForInputs("at% += k * steps%.v[d];\n"), "rest = next;\n}\n");
}

// Computes the parts for an element. `position` is the one in input %.
std::string FusedSource::Body(std::string_view position) const {
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
  return text;
}

std::string FusedSource::Elementwise() const {
  const std::string_view result = DialectTag(parts_.back().code.result);
  const std::string output = StrCat("GLOBAL stored_", result, "* y, ");
  const std::string store = StrCat("y[i] = store_", result, "(r", parts_.size() - 1, ");\n}\n}\n");
  return StrCat(Functions(), "KERNEL(fused_flat)(", Pointers(), output,
                ForInputs("index_t step%, "), "index_t n) {\nFOR_EACH(i, n) {\n", Body("i * step%"),
                store, "KERNEL(fused_broadcast)(", Pointers(), output, "Steps dims, ",
                ForInputs("Steps steps%, "), "index_t rank, index_t n) {\nFOR_EACH(i, n) {\n",
                "index_t rest = i;\n", ForInputs("index_t at% = 0;\n"), Positions(), Body("at%"),
                store);
}

std::string FusedSource::Operands() const {
  const std::string parameters =
      StrCat(Pointers(), "Steps dims, ", ForInputs("Steps steps%, "), "index_t rank");
  return StrCat(Functions(), "FUNCTION value_", DialectTag(parts_.back().code.result),
                " fused_element(", parameters, ", index_t p) {\nindex_t rest = p;\n",
                ForInputs("index_t at% = rank == 0 ? p * steps%.v[0] : 0;\n"), Positions(),
                Body("at%"), "return r", parts_.size() - 1, ";\n}\n#define OPERANDS ", parameters,
                "\n#define ELEMENT(p) fused_element(", ForInputs("x%, "), "dims, ",
                ForInputs("steps%, "), "rank, p)\n");
}

}  // namespace ramet::gpu
