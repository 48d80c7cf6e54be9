#include "ramet/linalg/softmax.h"

#include "ramet/op/op.h"
#include "ramet/op/tensor_math.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"

namespace ramet {
namespace {

template <Rows kFunction>
struct RowKernel {
  template <class T>
  Status operator()(KernelContext& c) const {
    const Tensor& x = c.input(0);
    if (x.rank() < 1) {
      return InvalidArgument("logits must have >= 1 dimension, got ", x.shape());
    }
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.ForwardOrAllocate(0, {0}, x.dtype(), x.shape()));
    if (x.num_elements() == 0) return OkStatus();
    return MapRows(kFunction, x.dim(x.rank() - 1), x, *y);
  }
};

Status VectorOrMoreShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape x, c.WithRankAtLeast(0, 1));
  c.set_output(0, std::move(x));
  return OkStatus();
}

// Returns the sums of x along its last dimension, which is kept with size 1.
Output RowSums(GradientContext& c, const Output& x) {
  return c.Add("Sum", {x, -1}, {{"keep_dims", true}});
}

Status SoftmaxGradient(GradientContext& c) {
  Output grad = c.grad(), y = c.output();
  Output product = grad * y;
  Output centered = grad - RowSums(c, product);
  return c.Return({centered * y});
}

Status LogSoftmaxGradient(GradientContext& c) {
  Output grad = c.grad();
  Output softmax = c.Add("Exp", {c.output()});
  Output share = RowSums(c, grad) * softmax;
  return c.Return({grad - share});
}

RAMET_OP("Softmax")
    .Input("logits: T")
    .Output("softmax: T")
    .Attr("T: {half, bfloat16, float, double}")
    .Doc(
        "Returns exp(x) / sum(exp(x)) along the last dimension. The output has the shape of the "
        "logits. Error: the logits are a scalar.")
    .Shape(VectorOrMoreShape)
    .Gradient(SoftmaxGradient)
    .CpuKernels<RAMET_FLOATS>(RowKernel<Rows::kSoftmax>());

RAMET_OP("LogSoftmax")
    .Input("logits: T")
    .Output("logsoftmax: T")
    .Attr("T: {half, bfloat16, float, double}")
    .Doc(
        "Returns x - log(sum(exp(x))) along the last dimension. The output has the shape of the "
        "logits. Error: the logits are a scalar.")
    .Shape(VectorOrMoreShape)
    .Gradient(LogSoftmaxGradient)
    .CpuKernels<RAMET_FLOATS>(RowKernel<Rows::kLogSoftmax>());

}  // namespace
}  // namespace ramet
