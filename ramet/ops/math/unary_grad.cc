#include "ramet/ops/math/elementwise.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"

// The gradients of unary functions as ops: z = dy * f'(x), expressed in terms of y = f(x).

namespace ramet {
namespace {

using linalg::BinaryOp;

#define RAMET_UNARY_GRAD_OP(name, kind) \
  RAMET_OP(name)                        \
      .Input("y: T")                    \
      .Input("dy: T")                   \
      .Output("z: T")                   \
      .Attr(kAttrFloatsAndComplex)      \
      .Shape(UnchangedShape)            \
      .CpuKernels<RAMET_FLOATS, RAMET_COMPLEX>(BinaryKernel<BinaryOp::kind, ComputePairs>())

Status SqrtGradGradient(GradientContext& c) {
  Output grad = c.grad();
  AfterGradient after(c, grad);
  Output ratio = grad / c.input(0);
  Output minus = -Conj(c, ratio);
  Output dy = minus * c.output();
  Output ddy = 0.5 * ratio;
  return c.Return({dy, ddy});
}

Status RsqrtGradGradient(GradientContext& c) {
  Output grad = c.grad();
  AfterGradient after(c, grad);
  Output y = Conj(c, c.input(0));
  Output conj_grad = Conj(c, grad);
  Output scaled = (-1.5 * conj_grad) * c.input(1);
  Output square = c.Add("Square", {y});
  Output dy = scaled * square;
  return c.Return({dy, c.Add("RsqrtGrad", {y, grad})});
}

Status ReciprocalGradGradient(GradientContext& c) {
  Output grad = c.grad();
  AfterGradient after(c, grad);
  Output y = Conj(c, c.input(0));
  Output conj_grad = Conj(c, grad);
  Output scaled = (conj_grad * -2.0) * c.input(1);
  Output dy = scaled * y;
  return c.Return({dy, c.Add("ReciprocalGrad", {y, grad})});
}

Status TanhGradGradient(GradientContext& c) {
  Output grad = c.grad();
  AfterGradient after(c, grad);
  Output y = Conj(c, c.input(0));
  Output dy = Conj(c, c.input(1));
  Output scaled = (grad * -2.0) * dy;
  Output by_y = scaled * y;
  return c.Return({by_y, c.Add("TanhGrad", {y, grad})});
}

Status SigmoidGradGradient(GradientContext& c) {
  Output grad = c.grad();
  AfterGradient after(c, grad);
  Output y = Conj(c, c.input(0));
  Output dy = Conj(c, c.input(1));
  Output product = grad * dy;
  Output twice = (2.0 * product) * y;
  Output by_y = product - twice;
  return c.Return({by_y, c.Add("SigmoidGrad", {y, grad})});
}

RAMET_UNARY_GRAD_OP("SqrtGrad", kSqrtGrad)
    .Doc(
        "Returns dy * 0.5 / y, or 0 where dy is 0, the gradient of y = Sqrt(x) for the incoming "
        "gradient dy. y, dy and z have the same shape. Error: y and dy have different numbers of "
        "elements.")
    .Gradient(SqrtGradGradient);

RAMET_UNARY_GRAD_OP("RsqrtGrad", kRsqrtGrad)
    .Doc(
        "Returns dy * -0.5 * y^3, or 0 where dy is 0, the gradient of y = Rsqrt(x) for the "
        "incoming gradient dy. y, dy and z have the same shape. Error: y and dy have different "
        "numbers of elements.")
    .Gradient(RsqrtGradGradient);

RAMET_UNARY_GRAD_OP("ReciprocalGrad", kReciprocalGrad)
    .Doc(
        "Returns -dy * y * y, or 0 where dy is 0, the gradient of y = Reciprocal(x) for the "
        "incoming gradient dy. y, dy and z have the same shape. Error: y and dy have different "
        "numbers of elements.")
    .Gradient(ReciprocalGradGradient);

RAMET_UNARY_GRAD_OP("InvGrad", kReciprocalGrad)
    .Doc(
        "Returns -dy * y * y, or 0 where dy is 0, the gradient of y = Inv(x) for the incoming "
        "gradient dy. y, dy and z have the same shape. Error: y and dy have different numbers of "
        "elements.")
    .Gradient(ReciprocalGradGradient);

RAMET_UNARY_GRAD_OP("TanhGrad", kTanhGrad)
    .Doc(
        "Returns dy * (1 - y * y), the gradient of y = Tanh(x) for the incoming gradient dy. y, dy "
        "and z have the same shape. Error: y and dy have different numbers of elements.")
    .Gradient(TanhGradGradient);

RAMET_UNARY_GRAD_OP("SigmoidGrad", kSigmoidGrad)
    .Doc(
        "Returns dy * y * (1 - y), the gradient of y = Sigmoid(x) for the incoming gradient dy. y, "
        "dy and z have the same shape. Error: y and dy have different numbers of elements.")
    .Gradient(SigmoidGradGradient);

}  // namespace
}  // namespace ramet
