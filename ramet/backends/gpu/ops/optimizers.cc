#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ramet/backends/gpu/launch.h"
#include "ramet/backends/gpu/ops/device_variables.h"
#include "ramet/backends/gpu/ops/optimizer_rules.h"
#include "ramet/backends/gpu/ops/program_variants.h"
#include "ramet/backends/gpu/ops/type_sets.h"
#include "ramet/base/mutex.h"
#include "ramet/op/op.h"

// The Apply and SparseApply ops of optimizers, for reference and resource variables, generated from
// the table in optimizer_rules.cc. Sparse ops ignore indices out of range, like TensorFlow's
// kernels on GPUs.

namespace ramet::gpu {
namespace {

// The roles of the inputs of an op.
struct ApplyInputs {
  std::vector<int> variables;  // the variable and its slots
  std::vector<int> scalars;
  std::vector<std::string> scalar_tags;  // "T", or "i64" for a number of steps
  int gradient = -1;
  int indices = -1;                // -1: the op is dense
  std::vector<std::string> names;  // by input

  explicit ApplyInputs(const OpSchema& schema) {
    for (int i = 0; i < static_cast<int>(schema.inputs.size()); ++i) {
      const ArgSchema& arg = schema.inputs[i];
      names.push_back(arg.name);
      if (arg.is_ref || arg.type == DType::kResource) {
        variables.push_back(i);
      } else if (arg.name == "grad" || arg.name == "delta") {
        gradient = i;
      } else if (arg.name == "indices") {
        indices = i;
      } else {
        scalars.push_back(i);
        scalar_tags.push_back(arg.type == DType::kInt64 ? "i64" : "T");
      }
    }
  }
};

// Returns lines with each `%` replaced by 0, 1, ..., count - 1.
std::string Repeated(std::string_view line, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    for (char c : line) text += c == '%' ? std::to_string(i) : std::string(1, c);
  }
  return text;
}

// Returns the parameters of a kernel for the scalars, and the statements that read them.
std::string ScalarParameters(const ApplyInputs& inputs) {
  std::string text;
  for (size_t i = 0; i < inputs.scalars.size(); ++i) {
    text += StrCat("GLOBAL const STORED(", inputs.scalar_tags[i], ")* scalar", i, ", ");
  }
  return text;
}
std::string ScalarValues(const ApplyInputs& inputs) {
  std::string text;
  for (size_t i = 0; i < inputs.scalars.size(); ++i) {
    text += StrCat("const V p", i, " = (V)LOAD(", inputs.scalar_tags[i], ", scalar", i, ", 0);\n");
  }
  return text;
}

// A work item updates one column of all rows in the order of the indices, so that an index that
// occurs more than once has the same effect as on the CPU. The new values begin as copies of the
// old ones.
constexpr std::string_view kEachRow = R"(
FOR_EACH(column, n) {
  for (index_t k = 0; k < count; ++k) {
    if (indices[k] < 0 || indices[k] >= rows) continue;
    const index_t i = (index_t)indices[k] * n + column;
    const V g = LOAD(T, gradient, k * n + column);
)";

std::string SourceOf(const OptimizerRule& rule, const ApplyInputs& inputs) {
  const size_t states = inputs.variables.size();
  return StrCat(
      "typedef VALUE(T) V;\n"
      "#if IS_DOUBLE\n#define K(x) (x)\n#else\n#define K(x) ((V)x##f)\n#endif\n"
      "#define SIGN(x) ((V)(((x) > 0) - ((x) < 0)))\n",
      inputs.indices < 0 ? "KERNEL(apply)(" : "KERNEL(apply_rows)(",
      Repeated("GLOBAL const STORED(T)* old%, GLOBAL STORED(T)* new%, ", states),
      ScalarParameters(inputs),
      inputs.indices < 0
          ? "GLOBAL const STORED(T)* gradient, index_t n) {\n"
          : "GLOBAL const STORED(T)* gradient, GLOBAL const INDEX* indices, index_t count, "
            "index_t rows, index_t n) {\n",
      ScalarValues(inputs),
      inputs.indices < 0 ? "FOR_EACH(i, n) {\nconst V g = LOAD(T, gradient, i);\n" : kEachRow,
      Repeated(StrCat("V s% = LOAD(T, ", inputs.indices < 0 ? "old" : "new", "%, i);\n"), states),
      rule.body, "\n", Repeated("STORE(T, new%, i, s%);\n", states),
      inputs.indices < 0 ? "}\n}\n" : "}\n}\n}\n");
}

// Returns the program of a rule, which is made once.
const Program& ProgramOf(const OptimizerRule& rule, const ApplyInputs& inputs) {
  struct Made {
    std::string source;
    Program program;
  };
  static auto* const mutex = new Mutex;
  static auto* const programs = new std::map<std::string, std::unique_ptr<Made>>;
  MutexLock lock(*mutex);
  const std::string name = StrCat(inputs.indices < 0 ? "" : "Sparse", rule.op);
  auto [found, added] = programs->try_emplace(name);
  std::unique_ptr<Made>& made = found->second;
  if (added) {
    made = std::make_unique<Made>();
    made->source = SourceOf(rule, inputs);
    made->program = {found->first, made->source};
  }
  return made->program;
}

Definitions ApplyDefinitions(DType dtype, std::string_view index_tag, bool flag) {
  return {{"T", std::string(DialectTag(dtype))},
          {"IS_DOUBLE", dtype == kDouble ? "1" : "0"},
          {"INDEX", std::string(index_tag)},
          {"FLAG", flag ? "1" : "0"}};
}

class ApplyKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<ApplyKernel>(
        node, ApplyInputs(OpRegistry::Global().Find(node.op)->schema())));
  }
  ApplyKernel(const KernelNode& node, ApplyInputs inputs)
      : inputs_(std::move(inputs)),
        is_resource_(node.op.starts_with("Resource")),
        dtype_(BaseType(node.input_types[inputs_.gradient])),
        kernel_{ProgramOf(OptimizerRuleOf(node.op), inputs_),
                inputs_.indices < 0 ? "apply" : "apply_rows",
                ApplyDefinitions(dtype_, IndexTag(node, inputs_), FlagOf(node))} {}

  Status Compute(KernelContext& c) override {
    Step step{std::vector<const Tensor*>(inputs_.variables.size()),
              std::vector<Tensor*>(inputs_.variables.size()), inputs_.variables};
    for (int i : inputs_.variables) RAMET_RETURN_IF_ERROR(CheckVariable(c, i));
    if (c.num_outputs() > 0) RAMET_RETURN_IF_ERROR(c.ForwardRef(0, 0));
    // Ops that share variables cannot deadlock, because all lock them in the order of addresses.
    std::ranges::sort(step.order, {}, [&](int i) { return c.variable(i); });
    for (size_t k = 1; k < step.order.size(); ++k) {
      if (c.variable(step.order[k]) != c.variable(step.order[k - 1])) continue;
      return InvalidArgument(inputs_.names[step.order[k - 1]], " and ",
                             inputs_.names[step.order[k]], " are both the variable '",
                             c.variable(step.order[k])->name(),
                             "'; they must be different variables");
    }
    for (int i : inputs_.scalars) {
      if (c.input(i).rank() == 0) continue;
      return InvalidArgument(inputs_.names[i], " is not a scalar: ", c.input(i).shape());
    }
    return TakeVariable(c, step, 0);
  }

 private:
  struct Step {
    std::vector<const Tensor*> before;
    std::vector<Tensor*> after;
    std::vector<int> order;  // in which the variables are locked
  };

  static std::string IndexTag(const KernelNode& node, const ApplyInputs& inputs) {
    if (inputs.indices < 0) return "i32";
    return std::string(DialectTag(BaseType(node.input_types[inputs.indices])));
  }

  static bool FlagOf(const KernelNode& node) {
    const OpSchema& schema = OpRegistry::Global().Find(node.op)->schema();
    for (const char* flag : {"use_nesterov", "update_slots", "multiply_linear_by_lr"}) {
      const AttrSchema* attr = schema.FindAttr(flag);
      if (attr) return node.attrs->GetOr<bool>(flag, *attr->default_value.get<bool>());
    }
    return false;
  }

  Status CheckVariable(KernelContext& c, int i) const {
    if (is_resource_) {
      if (c.variable(i) == nullptr) return CheckHandle(c, i, inputs_.names[i]);
    } else {
      RAMET_RETURN_IF_ERROR(c.ForwardRef(i, 0));
    }
    return MoveVariableToDevice(c, i);
  }

  Status TakeVariable(KernelContext& c, Step& step, size_t k) const {
    if (k == step.order.size()) return Update(c, step);
    const int i = step.order[k];
    return c.ModifyRef(i, [&](const Tensor& before, Tensor& after) {
      step.before[i] = &before;
      step.after[i] = &after;
      return TakeVariable(c, step, k + 1);
    });
  }

  Status Update(KernelContext& c, const Step& step) const {
    const Tensor& gradient = c.input(inputs_.gradient);
    RAMET_RETURN_IF_ERROR(CheckShapes(c, step, gradient));
    std::vector<LaunchArgument> arguments;
    for (size_t i = 0; i < step.before.size(); ++i) {
      arguments.emplace_back(*step.before[i]);
      arguments.emplace_back(static_cast<const Tensor&>(*step.after[i]));
    }
    for (int i : inputs_.scalars) arguments.emplace_back(c.input(i));
    arguments.emplace_back(gradient);
    if (inputs_.indices >= 0) return UpdateRows(c, step, arguments);
    arguments.emplace_back(Index{gradient.num_elements()});
    return LaunchForEach(c, kernel_, gradient.num_elements(), arguments);
  }

  Status UpdateRows(KernelContext& c, const Step& step,
                    std::vector<LaunchArgument>& arguments) const {
    for (size_t i = 0; i < step.before.size(); ++i) {
      if (step.before[i]->raw_data() == step.after[i]->raw_data()) continue;
      RAMET_RETURN_IF_ERROR(CopyElements(c, *step.before[i], *step.after[i]));
    }
    const Tensor& indices = c.input(inputs_.indices);
    const int64_t count = indices.num_elements();
    const int64_t columns = count > 0 ? c.input(inputs_.gradient).num_elements() / count : 0;
    arguments.emplace_back(indices);
    arguments.emplace_back(Index{count});
    arguments.emplace_back(Index{step.before[0]->dim(0)});
    arguments.emplace_back(Index{columns});
    return LaunchForEach(c, kernel_, columns, arguments);
  }

  Status CheckShapes(KernelContext& c, const Step& step, const Tensor& gradient) const {
    const Tensor& var = *step.before[0];
    for (size_t i = 0; i < step.before.size(); ++i) {
      if (step.before[i]->dtype() != gradient.dtype()) {
        return InvalidArgument("the variable ", inputs_.names[i], " ('",
                               c.variable(static_cast<int>(i))->name(), "') is ",
                               DTypeName(step.before[i]->dtype()), ", but the gradient is ",
                               DTypeName(gradient.dtype()));
      }
      if (step.before[i]->shape() != var.shape()) {
        return InvalidArgument("var and ", inputs_.names[i], " do not have the same shape",
                               var.shape(), " ", step.before[i]->shape());
      }
    }
    if (inputs_.indices >= 0) return CheckRows(c, var, gradient);
    if (gradient.shape() == var.shape()) return OkStatus();
    return InvalidArgument("var and ", inputs_.names[inputs_.gradient],
                           " do not have the same shape", var.shape(), " ", gradient.shape());
  }

  Status CheckRows(KernelContext& c, const Tensor& var, const Tensor& gradient) const {
    const Tensor& indices = c.input(inputs_.indices);
    if (var.rank() < 1) return InvalidArgument("var must be at least 1 dimensional");
    if (indices.rank() != 1) {
      return InvalidArgument("indices must be one-dimensional, but has shape ", indices.shape());
    }
    if (gradient.rank() != var.rank() || gradient.dim(0) != indices.dim(0)) {
      return InvalidArgument(
          "grad must be the same size as indices in the first dimension, with the rank of var: "
          "grad ",
          gradient.shape(), ", indices ", indices.shape(), ", var ", var.shape());
    }
    for (int d = 1; d < var.rank(); ++d) {
      if (gradient.dim(d) == var.dim(d)) continue;
      return InvalidArgument("var and grad must match in dimension ", d, ": ", var.shape(), " and ",
                             gradient.shape());
    }
    return OkStatus();
  }

  const ApplyInputs inputs_;
  const bool is_resource_;
  const DType dtype_;
  const KernelSpec kernel_;
};

[[maybe_unused]] const bool optimizers_registered = [] {
  static auto* const names = new std::vector<std::string>;
  for (const OptimizerRule& rule : OptimizerRules()) {
    names->push_back(std::string(rule.op));
    names->push_back(StrCat("Resource", rule.op));
    names->push_back(StrCat("Sparse", rule.op));
    names->push_back(StrCat("ResourceSparse", rule.op));
  }
  for (const std::string& name : *names) {
    const bool is_narrow = name.ends_with("AdagradDA");  // has float and double only
    for (DType dtype : kFloatTypes) {
      if (is_narrow && dtype != kFloat && dtype != kDouble) continue;
      KernelRegistrar(name, {"GPU", "T", dtype, &ApplyKernel::Make, nullptr});
    }
  }
  return true;
}();

}  // namespace

std::vector<ProgramVariant> OptimizerVariants() {
  std::vector<ProgramVariant> all;
  for (const OptimizerRule& rule : OptimizerRules()) {
    const bool has_flag = rule.body.find("FLAG") != std::string_view::npos;
    for (std::string_view prefix : {"", "Sparse"}) {
      const Op* const op = OpRegistry::Global().Find(StrCat(prefix, rule.op));
      if (op == nullptr) continue;
      const Program& program = ProgramOf(rule, ApplyInputs(op->schema()));
      for (DType dtype : kFloatTypes) {
        for (bool flag : {false, true}) {
          for (std::string_view index : {"i32", "i64"}) {
            const bool is_used = (has_flag || !flag) && (!prefix.empty() || index == "i32");
            if (is_used) all.push_back({&program, ApplyDefinitions(dtype, index, flag)});
          }
        }
      }
    }
  }
  return all;
}

}  // namespace ramet::gpu
