#include "ramet/linalg/select.h"
#include "ramet/linalg/elementwise.h"
#include "ramet/op/op.h"
#include "ramet/op/tensor_math.h"
#include "ramet/ops/math/broadcast_loop.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"

// Select and SelectV2: choose between two tensors, element by element or row by row.

namespace ramet {
namespace {

using linalg::BroadcastPlan;

template <class T>
void ChooseObjects(KernelContext& c, const BroadcastPlan& plan, Tensor& z) {
  const bool* condition = c.input(0).data<bool>();
  const auto* t = static_cast<const T*>(c.input(1).raw_data());
  const auto* e = static_cast<const T*>(c.input(2).raw_data());
  auto* out = static_cast<T*>(z.raw_data());
  ForEachBroadcast<3>(
      plan, [&](int64_t i, const auto& at) { out[i] = condition[at[0]] ? t[at[1]] : e[at[2]]; });
}

Status Choose(KernelContext& c, const BroadcastPlan& plan, const Shape& shape) {
  const DType type = c.input(1).dtype();
  if (type == kString || IsVariant(type)) {
    RAMET_ASSIGN_OR_RETURN(Tensor * z, c.Allocate(0, type, shape));
    type == kString ? ChooseObjects<std::string>(c, plan, *z) : ChooseObjects<Variant>(c, plan, *z);
    return OkStatus();
  }
  RAMET_ASSIGN_OR_RETURN(Tensor * z, c.ForwardOrAllocate(0, {1, 2}, type, shape));
  return Select(plan, c.input(0), c.input(1), c.input(2), *z);
}

Status CheckSelect(const Shape& condition, const Shape& t, const Shape& e) {
  if (t != e) {
    return InvalidArgument("'then' and 'else' must have the same size.  but received: ", t, " vs. ",
                           e);
  }
  if (condition == t || condition.rank() == 0) return OkStatus();
  if (condition.rank() != 1) {
    return InvalidArgument("Inputs must have the same size and shape.  Input 0: ", condition,
                           " != input 1: ", t);
  }
  if (t.rank() == 0) {
    return InvalidArgument("'then' must be at least a vector, but saw shape: ", t);
  }
  if (t.dim(0) == condition.dim(0)) return OkStatus();
  return InvalidArgument("Number of batches of 'then' must match size of 'cond', but saw: ",
                         t.dim(0), " vs. ", condition.dim(0));
}

// Broadcasts the condition to the right: it has the shape of t, or of its first dimension.
Status SelectCompute(KernelContext& c) {
  const Shape& condition = c.input(0).shape();
  const Shape& t = c.input(1).shape();
  RAMET_RETURN_IF_ERROR(CheckSelect(condition, t, c.input(2).shape()));
  const int64_t groups = condition.num_elements();
  const int64_t rows[2] = {groups, groups > 0 ? t.num_elements() / groups : 0};
  const int64_t one[2] = {groups, 1};
  BroadcastPlan plan;
  BroadcastPlan::Make(one, rows, rows, &plan);
  return Choose(c, plan, t);
}

Status SelectV2Compute(KernelContext& c) {
  const Shape& condition = c.input(0).shape();
  const Shape& t = c.input(1).shape();
  const Shape& e = c.input(2).shape();
  auto values = BroadcastShapes(t, e);
  auto shape = values.ok() ? BroadcastShapes(condition, *values) : values.status();
  BroadcastPlan plan;
  if (!shape.ok() || !BroadcastPlan::Make(condition.dims(), t.dims(), e.dims(), &plan)) {
    return InvalidArgument("condition ", condition, ", then ", t, ", and else ", e,
                           " must be broadcastable");
  }
  return Choose(c, plan, *shape);
}

Status SelectShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape values, c.input(1).MergeWith(c.input(2)));
  const Shape& condition = c.input(0);
  if (condition.rank() > 1) {
    RAMET_ASSIGN_OR_RETURN(values, values.MergeWith(condition));
  } else if (condition.rank() == 1 && !values.unknown_rank()) {
    if (values.rank() == 0) {
      return InvalidArgument("Shapes must be equal rank, but are 0 and 1: the condition has shape ",
                             condition, ", the values ", values);
    }
    RAMET_ASSIGN_OR_RETURN(Shape first, values.Slice(0, 1).MergeWith(condition));
    values.set_dim(0, first.dim(0));
  }
  c.set_output(0, std::move(values));
  return OkStatus();
}

Status SelectV2Shape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape values, BroadcastShapes(c.input(1), c.input(2)));
  RAMET_ASSIGN_OR_RETURN(Shape all, BroadcastShapes(c.input(0), values));
  c.set_output(0, std::move(all));
  return OkStatus();
}

Status SelectGradient(GradientContext& c) {
  Output condition = c.input(0), grad = c.grad();
  Output zeros = ZerosLike(c, c.input(1));
  Output then_grad = c.Add("Select", {condition, grad, zeros});
  return c.Return({Gradient(), then_grad, c.Add("Select", {condition, zeros, grad})});
}

// Returns `grad`, which has the shape of the output, summed to the shape of input i.
Output SumToInput(GradientContext& c, int i, const Output& grad) {
  Output shape = ShapeOf(c, c.input(i));
  Output full = ShapeOf(c, c.output());
  if (SameKnownShape(c.input(i), c.output())) return grad;
  const Shape known = c.input(i).shape();
  if (known.IsFullyDefined() && c.output().shape().IsFullyDefined()) {
    std::vector<int64_t> axes;
    const int lead = c.output().shape().rank() - known.rank();
    for (int d = 0; d < c.output().shape().rank(); ++d) {
      if (d < lead || (known.dim(d - lead) == 1 && c.output().shape().dim(d) != 1)) {
        axes.push_back(d);
      }
    }
    Output sum = c.Add("Sum", {grad, Input(Tensor::Vector<int32_t>({axes.begin(), axes.end()}))},
                       {{"keep_dims", true}});
    return Reshape(c, sum, shape);
  }
  Operation axes = c.AddOperation("BroadcastGradientArgs", {shape, full});
  Output sum = c.Add("Sum", {grad, axes.output(0)}, {{"keep_dims", true}});
  return Reshape(c, sum, shape);
}

Status SelectV2Gradient(GradientContext& c) {
  Output condition = c.input(0), grad = c.grad();
  Output zero = ScalarLike(c, grad.dtype(), 0, "zeros");
  Output then_grad = c.Add("SelectV2", {condition, grad, zero});
  Output else_grad = c.Add("SelectV2", {condition, zero, grad});
  then_grad = SumToInput(c, 1, then_grad);
  return c.Return({Gradient(), then_grad, SumToInput(c, 2, else_grad)});
}

RAMET_OP("Select")
    .Foldable()
    .Input("condition: bool")
    .Input("t: T")
    .Input("e: T")
    .Output("output: T")
    .Attr("T: type")
    .Doc(
        "Returns t where `condition` is true and e elsewhere. t, e and the output have the same "
        "shape. The condition has that shape too, or is a scalar, or is a vector that selects "
        "whole rows. Error: the shapes do not match this.")
    .Shape(SelectShape)
    .Gradient(SelectGradient)
    .CpuKernel(SelectCompute);

RAMET_OP("SelectV2")
    .Foldable()
    .Input("condition: bool")
    .Input("t: T")
    .Input("e: T")
    .Output("output: T")
    .Attr("T: type")
    .Doc(
        "Returns t where `condition` is true and e elsewhere, element-wise with all three "
        "broadcast. Error: the shapes do not broadcast.")
    .Shape(SelectV2Shape)
    .Gradient(SelectV2Gradient)
    .CpuKernel(SelectV2Compute);

}  // namespace
}  // namespace ramet
