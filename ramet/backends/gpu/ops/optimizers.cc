#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ramet/backends/gpu/launch.h"
#include "ramet/backends/gpu/ops/device_variables.h"
#include "ramet/backends/gpu/ops/optimizer_rules.h"
#include "ramet/backends/gpu/ops/program_variants.h"
#include "ramet/backends/gpu/ops/type_sets.h"
#include "ramet/backends/gpu/ops/update_programs.h"
#include "ramet/op/op.h"

// The Apply and SparseApply ops of optimizers, for reference and resource variables, generated from
// the table in optimizer_rules.cc. Sparse ops ignore indices out of range, like TensorFlow's
// kernels on GPUs.

namespace ramet::gpu {
namespace {

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
        dense_(inputs_.indices < 0
                   ? &DenseUpdate::For(OptimizerRuleOf(node.op), inputs_, dtype_, FlagOf(node))
                   : nullptr),
        rows_{UpdateProgram(OptimizerRuleOf(node.op), inputs_, 1), "apply_rows",
              UpdateDefinitions(dtype_, IndexTag(node, inputs_), FlagOf(node))} {}

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
    if (inputs_.indices >= 0) return UpdateRows(c, step);
    HeldLaunch launch;
    for (const Tensor* before : step.before) launch.read.push_back(*before);
    for (const Tensor* after : step.after) launch.written.push_back(*after);
    for (int i : inputs_.scalars) launch.read.push_back(c.input(i));
    launch.read.push_back(gradient);
    launch.count = gradient.num_elements();
    if (launch.count == 0) return OkStatus();
    for (const Tensor& t : launch.read) RAMET_RETURN_IF_ERROR(CheckMemory(c, t));
    GpuDevice& device = DeviceOf(c);
    // This op reports it if the device has no doubles; a held launch would fail after it.
    if (dtype_ == kDouble && !device.driver().info().has_double) {
      return dense_->Merge({&launch, 1}).status();
    }
    return device.Checked(device.queue().LaunchMerged(*dense_, std::move(launch)));
  }

  static Status CheckMemory(const KernelContext& c, const Tensor& t) {
    if (t.memory() == c.env().memory) return OkStatus();
    return Internal("an argument of an update is not in the memory of ", DeviceOf(c).name());
  }

  Status UpdateRows(KernelContext& c, const Step& step) const {
    std::vector<LaunchArgument> arguments;
    for (size_t i = 0; i < step.before.size(); ++i) {
      arguments.emplace_back(*step.before[i]);
      arguments.emplace_back(static_cast<const Tensor&>(*step.after[i]));
    }
    for (int i : inputs_.scalars) arguments.emplace_back(c.input(i));
    arguments.emplace_back(c.input(inputs_.gradient));
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
    return LaunchForEach(c, rows_, columns, arguments);
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
  const DenseUpdate* const dense_;  // null: the op is sparse
  const KernelSpec rows_;
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

// Returns the program that merges the most updates by a rule.
ProgramVariant LargestMerge(const OptimizerRule& rule, const ApplyInputs& inputs) {
  const size_t count = DenseUpdate::For(rule, inputs, kFloat, false).max_merged();
  return {&UpdateProgram(rule, inputs, static_cast<int>(count)),
          UpdateDefinitions(kFloat, "i32", false)};
}

}  // namespace

std::vector<ProgramVariant> OptimizerVariants() {
  std::vector<ProgramVariant> all;
  for (const OptimizerRule& rule : OptimizerRules()) {
    const bool has_flag = rule.body.find("FLAG") != std::string_view::npos;
    for (std::string_view prefix : {"", "Sparse"}) {
      const Op* const op = OpRegistry::Global().Find(StrCat(prefix, rule.op));
      if (op == nullptr) continue;
      const ApplyInputs inputs(op->schema());
      const Program& program = UpdateProgram(rule, inputs, 1);
      if (inputs.indices < 0) all.push_back(LargestMerge(rule, inputs));
      for (DType dtype : kFloatTypes) {
        for (bool flag : {false, true}) {
          for (std::string_view index : {"i32", "i64"}) {
            const bool is_used = (has_flag || !flag) && (!prefix.empty() || index == "i32");
            const Definitions definitions = UpdateDefinitions(dtype, std::string(index), flag);
            if (is_used) all.push_back({&program, definitions});
          }
        }
      }
    }
  }
  return all;
}

}  // namespace ramet::gpu
