#include "ramet/linalg/softmax.h"
#include "ramet/linalg/strided_copy.h"
#include "ramet/op/op.h"
#include "ramet/op/tensor_math.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"

// Cross entropy of softmax(logits) with labels, and its gradient for the logits, in one pass.

namespace ramet {
namespace {

Status NotBroadcastable(const Shape& logits, const Shape& labels) {
  return InvalidArgument("logits and labels must be broadcastable: logits_size=", logits,
                         " labels_size=", labels);
}

// Returns x if it has this shape, otherwise a copy broadcast to it.
StatusOr<Tensor> BroadcastTo(KernelContext& c, const Tensor& x, const Shape& matrix) {
  if (x.shape() == matrix) return x;
  RAMET_ASSIGN_OR_RETURN(Tensor y, c.AllocateTemp(x.dtype(), matrix));
  int64_t dims[2] = {1, 1};
  for (int d = 0; d < x.rank(); ++d) dims[2 - x.rank() + d] = x.dim(d);
  const int64_t x_strides[2] = {dims[0] == 1 ? 0 : dims[1], dims[1] == 1 ? 0 : 1};
  const int64_t y_strides[2] = {matrix.dim(1), 1};
  RAMET_RETURN_IF_ERROR(MoveStrided(x, 0, x_strides, y, 0, y_strides, matrix.dims()));
  return y;
}

template <class T>
Status XentCompute(KernelContext& c) {
  const Tensor& logits_in = c.input(0);
  const Tensor& labels_in = c.input(1);
  auto shape = BroadcastShapes(logits_in.shape(), labels_in.shape());
  if (!shape.ok()) return NotBroadcastable(logits_in.shape(), labels_in.shape());
  if (shape->rank() != 2) {
    return InvalidArgument(
        "logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional");
  }
  RAMET_ASSIGN_OR_RETURN(Tensor logits, BroadcastTo(c, logits_in, *shape));
  RAMET_ASSIGN_OR_RETURN(Tensor labels, BroadcastTo(c, labels_in, *shape));
  RAMET_ASSIGN_OR_RETURN(Tensor * loss, c.Allocate(0, logits.dtype(), Shape{shape->dim(0)}));
  RAMET_ASSIGN_OR_RETURN(Tensor * backprop, c.Allocate(1, logits.dtype(), *shape));
  if (backprop->num_elements() == 0) {
    RAMET_RETURN_IF_ERROR(FillZeros(*loss));
    return OkStatus();
  }
  return SoftmaxXent(logits, labels, *loss, *backprop);
}

Status XentShape(ShapeContext& c) {
  const Shape& logits = c.input(0);
  const Shape& labels = c.input(1);
  auto of_rank_2 = [](const Shape& s) { return s.unknown_rank() ? Shape::OfRank(2) : s; };
  auto shape = BroadcastShapes(of_rank_2(logits), of_rank_2(labels));
  if (!shape.ok()) return NotBroadcastable(logits, labels);
  if (shape->rank() != 2) {
    return InvalidArgument("Shape must be broadcasted with rank 2, but is rank ", shape->rank(),
                           " (logits ", logits, ", labels ", labels, ")");
  }
  c.set_output(0, {shape->dim(0)});
  c.set_output(1, *std::move(shape));
  return OkStatus();
}

std::string Summary(const Tensor& labels) {
  constexpr int64_t kMaxShownElements = 100;
  std::string text;
  for (int64_t i = 0; i < std::min(labels.num_elements(), kMaxShownElements); ++i) {
    text += StrCat(i ? " " : "", IntegerAt(labels, i));
  }
  return labels.num_elements() > kMaxShownElements ? text + "..." : text;
}

Status CheckSparse(const Shape& logits, const Shape& labels) {
  if (logits.rank() != 2) return InvalidArgument("logits must be 2-D, but got shape ", logits);
  if (labels.rank() != 1) return InvalidArgument("labels must be 1-D, but got shape ", labels);
  if (logits.dim(0) != labels.dim(0)) {
    return InvalidArgument(
        "logits and labels must have the same first dimension, got logits shape ", logits,
        " and labels shape ", labels);
  }
  if (logits.dim(1) > 0) return OkStatus();
  return InvalidArgument("Must have at least one class, but got logits shape ", logits);
}

template <class T>
Status SparseXentCompute(KernelContext& c) {
  const Tensor& logits = c.input(0);
  const Tensor& labels = c.input(1);
  RAMET_RETURN_IF_ERROR(CheckSparse(logits.shape(), labels.shape()));
  RAMET_ASSIGN_OR_RETURN(Tensor * loss, c.Allocate(0, logits.dtype(), labels.shape()));
  RAMET_ASSIGN_OR_RETURN(Tensor * backprop,
                         c.ForwardOrAllocate(1, {0}, logits.dtype(), logits.shape()));
  if (const DeviceMath* math = DeviceMath::Of(*loss)) {
    return math->SoftmaxXent(logits, labels, *loss, *backprop);
  }
  const int64_t classes = logits.dim(1);
  const int64_t bad = linalg::SparseSoftmaxXent(
      linalg::TypeOf<T>, LinalgType(labels.dtype()), logits.dim(0), classes, logits.raw_data(),
      labels.raw_data(), loss->raw_data(), backprop->raw_data());
  if (bad < 0) return OkStatus();
  return InvalidArgument("Received a label value of ", IntegerAt(labels, bad),
                         " which is outside the valid range of [0, ", classes,
                         ").  Label values: ", Summary(labels));
}

Status SparseXentShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape logits, c.WithRank(0, 2));
  RAMET_ASSIGN_OR_RETURN(Shape labels, c.WithRank(1, 1));
  if (logits.dim(0) >= 0 && labels.dim(0) >= 0 && logits.dim(0) != labels.dim(0)) {
    return InvalidArgument("Dimensions must be equal, but are ", logits.dim(0), " and ",
                           labels.dim(0), " (logits ", logits, ", labels ", labels, ")");
  }
  if (logits.dim(0) < 0) logits.set_dim(0, labels.dim(0));
  c.set_output(0, {logits.dim(0)});
  c.set_output(1, std::move(logits));
  return OkStatus();
}

// Returns `matrix` with each row multiplied by its element of `vector`.
Output ScaleRows(GradientContext& c, const Output& vector, const Output& matrix) {
  Output column = c.Add("ExpandDims", {vector, -1});
  return column * matrix;
}

// Returns the gradient of backprop = softmax - labels for the logits: rows of (g - g.s) * s.
Output BackpropGradient(GradientContext& c, const Output& grad) {
  Output softmax = c.Add("Softmax", {c.input(0)});
  Output rows = c.Add("ExpandDims", {grad, 1});
  Output columns = c.Add("ExpandDims", {softmax, 2});
  Output products = c.Add("BatchMatMulV2", {rows, columns}, {}, "MatMul");
  Output sums = c.Add("Squeeze", {products}, {{"squeeze_dims", std::vector<int64_t>{1}}});
  Output centered = grad - sums;
  return centered * softmax;
}

Output LogitsGradient(GradientContext& c) {
  Output logits_grad = ScaleRows(c, c.grad(0), c.output(1));
  if (!c.raw_grad(1).exists()) return logits_grad;
  return logits_grad + BackpropGradient(c, c.grad(1));
}

Status XentGradient(GradientContext& c) {
  Output logits_grad = LogitsGradient(c);
  Output log_softmax = c.Add("LogSoftmax", {c.input(0)});
  Output minus = -log_softmax;
  return c.Return({logits_grad, ScaleRows(c, c.grad(0), minus)});
}

Status SparseXentGradient(GradientContext& c) { return c.Return({LogitsGradient(c), Gradient()}); }

RAMET_OP("SoftmaxCrossEntropyWithLogits")
    .Input("features: T")
    .Input("labels: T")
    .Output("loss: T")
    .Output("backprop: T")
    .Attr("T: {half, bfloat16, float, double}")
    .Doc(
        "Takes logits (features) and label distributions, both [batch, classes] or broadcast to "
        "it. Returns loss, [batch], = -sum(labels * log_softmax(features)), and backprop, [batch, "
        "classes], = softmax(features) - labels, the gradient of the loss. Error: the shapes do "
        "not broadcast to a matrix.")
    .Shape(XentShape)
    .Gradient(XentGradient)
    .CpuKernels<RAMET_FLOATS>([]<class T>(KernelContext& c) { return XentCompute<T>(c); });

RAMET_OP("SparseSoftmaxCrossEntropyWithLogits")
    .Input("features: T")
    .Input("labels: Tlabels")
    .Output("loss: T")
    .Output("backprop: T")
    .Attr("T: {half, bfloat16, float, double}")
    .Attr("Tlabels: {int32, int64} = int64")
    .Doc(
        "Takes logits (features), [batch, classes], and class numbers (labels), [batch]. Returns "
        "loss, [batch], = -log_softmax(features)[label], and its gradient backprop, [batch, "
        "classes]. Error: the shapes do not have this form; there are no classes; a label is "
        "outside [0, classes).")
    .Shape(SparseXentShape)
    .Gradient(SparseXentGradient)
    .CpuKernels<RAMET_FLOATS>([]<class T>(KernelContext& c) { return SparseXentCompute<T>(c); });

}  // namespace
}  // namespace ramet
