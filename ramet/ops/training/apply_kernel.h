#pragma once

#include <array>
#include <complex>
#include <span>

#include "ramet/linalg/training.h"
#include "ramet/op/op.h"
#include "ramet/ops/state/handle.h"

namespace ramet {

// The update that an optimizer applies to n elements. `vars` are the variable and its slots,
// `scalars` the hyperparameters in the order of the inputs of the op, and `flag` its bool attr
// (use_nesterov, update_slots or multiply_linear_by_lr).
using UpdateRule = void (*)(linalg::Type type, int64_t n, std::span<const linalg::Update> vars,
                            std::span<const double> scalars, const void* grad, bool flag);

// The update for complex numbers, whose scalars are complex too.
using ComplexUpdateRule = void (*)(linalg::Type type, int64_t n,
                                   std::span<const linalg::Update> vars,
                                   std::span<const std::complex<double>> scalars, const void* grad,
                                   bool flag);

// The roles of the inputs of an op: first the variable and its slots (Ref inputs or handles), then
// scalars, the gradient ("grad" or "delta") and, for sparse ops, "indices".
struct UpdateArgs {
  static constexpr int kMaxVars = 4;
  static constexpr int kMaxScalars = 8;

  int num_vars = 0;
  int grad = -1;
  int indices = -1;  // -1: the op is dense
  int num_scalars = 0;
  std::array<int, kMaxScalars> scalars{};
  std::array<std::string, kMaxVars + kMaxScalars + 2> names;  // by input
  bool flag = false;

  static UpdateArgs Of(const KernelNode& node);
};

// The kernel of the Apply and SparseApply ops. It checks the shapes and then updates the variable
// and its slots in one step with a rule. For a dense op the rule gets all elements; for a sparse op
// it gets the rows that `indices` names, one after another.
//
// The variables are locked in the order of their addresses, so that ops that share some of them
// cannot deadlock.
class ApplyKernelBase : public Kernel {
 public:
  Status Compute(KernelContext& c) override;

 protected:
  // Exactly one of the rules is null.
  ApplyKernelBase(UpdateArgs args, UpdateRule rule, ComplexUpdateRule complex_rule)
      : args_(std::move(args)), rule_(rule), complex_rule_(complex_rule) {}

 private:
  struct Step;
  Status TakeVariable(KernelContext& c, Step& step, int k) const;
  Status CheckShapes(KernelContext& c, const Step& step) const;
  Status CheckRows(KernelContext& c, const Tensor& var) const;
  void Update(linalg::Type type, int64_t n, std::span<const linalg::Update> vars, const Step& step,
              const void* grad) const;
  void StreamAll(KernelContext& c, const Step& step) const;
  void UpdateAll(KernelContext& c, const Step& step) const;
  void UpdateRows(KernelContext& c, const Step& step) const;

  const UpdateArgs args_;
  const UpdateRule rule_;
  const ComplexUpdateRule complex_rule_;
};

template <UpdateRule rule>
class ApplyKernel final : public ApplyKernelBase {
 public:
  static std::unique_ptr<ApplyKernel> Make(const KernelNode& node) {
    return std::make_unique<ApplyKernel>(UpdateArgs::Of(node));
  }
  explicit ApplyKernel(UpdateArgs args) : ApplyKernelBase(std::move(args), rule, nullptr) {}
};

template <ComplexUpdateRule rule>
class ComplexApplyKernel final : public ApplyKernelBase {
 public:
  static std::unique_ptr<ComplexApplyKernel> Make(const KernelNode& node) {
    return std::make_unique<ComplexApplyKernel>(UpdateArgs::Of(node));
  }
  explicit ComplexApplyKernel(UpdateArgs args) : ApplyKernelBase(std::move(args), nullptr, rule) {}
};

// The kernels of an op for all dtypes in which optimizers compute.
template <UpdateRule rule>
struct ApplyKernels {
  template <class T>
  using For = ApplyKernel<rule>;
};

template <ComplexUpdateRule rule>
struct ComplexApplyKernels {
  template <class T>
  using For = ComplexApplyKernel<rule>;
};

// Infers the shape of the variable, merged with those of its slots (inputs 0 .. vars - 1) and, for
// dense ops, of the gradient. The inputs from `vars` on must be scalars, except for the gradient
// and `indices`.
template <int vars, int grad, int indices = -1>
Status ApplyShape(ShapeContext& c) {
  Shape merged = TargetShape(c);
  for (int i = 1; i < vars; ++i) {
    RAMET_ASSIGN_OR_RETURN(merged, merged.MergeWith(TargetShape(c, i)));
  }
  for (int i = vars; i < c.num_inputs(); ++i) {
    if (i != grad && i != indices) RAMET_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  }
  if (indices < 0) {
    RAMET_ASSIGN_OR_RETURN(merged, merged.MergeWith(c.input(grad)));
  } else {
    RAMET_RETURN_IF_ERROR(c.WithRank(indices, 1).status());
  }
  SetTargetOutput(c, std::move(merged));
  return OkStatus();
}

// The shape function of the sparse twin of an op with ApplyShape<vars, grad>.
template <int vars, int grad>
constexpr ShapeFn SparseApplyShape = ApplyShape<vars, grad, grad + 1>;

}  // namespace ramet
