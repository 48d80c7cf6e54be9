#include "ramet/ops/math/elementwise.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"

// Element-wise activation functions, and their gradients as ops.

namespace ramet {
namespace {

using linalg::BinaryOp;
using linalg::UnaryOp;

constexpr char kAttrShort[] = "T: {half, bfloat16, float, double}";
constexpr char kAttrReal[] = "T: realnumbertype";

#define RAMET_ACTIVATION_OP(name, kind, attr, ...) \
  RAMET_OP(name)                                   \
      .Input("features: T")                        \
      .Output("activations: T")                    \
      .Attr(attr)                                  \
      .Shape(UnchangedShape)                       \
      .CpuKernels<__VA_ARGS__>(UnaryKernel<UnaryOp::kind>())

#define RAMET_ACTIVATION_GRAD_OP(name, kind, second, attr, ...) \
  RAMET_OP(name)                                                \
      .Input("gradients: T")                                    \
      .Input(second ": T")                                      \
      .Output("backprops: T")                                   \
      .Attr(attr)                                               \
      .Shape(MergedInputsShape)                                 \
      .CpuKernels<__VA_ARGS__>(BinaryKernel<BinaryOp::kind, ComputeSameShape>())

// dx = op(dy, y).
Status ByOutput(GradientContext& c, std::string_view op) {
  return c.Return({c.Add(op, {c.grad(), c.output()})});
}

// The gradient of the gradient of a piecewise linear function: `op` again, and zeros for the
// features.
Status ByFeatures(GradientContext& c, std::string_view op) {
  Output gradients_grad = c.Add(op, {c.grad(), c.input(1)});
  return c.Return({gradients_grad, ZerosLike(c, c.input(1))});
}

// The gradients of op(gradients, outputs) = gradients * slope, where the slope is linear in the
// outputs below 0 and constant above.
Status ExponentialBelowZero(GradientContext& c, std::string_view op) {
  Output grad = c.grad(), outputs = c.input(1);
  Output gradients_grad = c.Add(op, {grad, outputs});
  Output below = c.Add("Less", {outputs, 0.0});
  Output product = grad * c.input(0);
  Output zeros = ZerosLike(c, outputs);
  return c.Return({gradients_grad, c.Add("Select", {below, product, zeros})});
}

Status SoftplusGradient(GradientContext& c) {
  Output grad = c.grad();
  Output slope = c.Add("Sigmoid", {c.input(0)});
  return c.Return({grad * slope});
}

Status SoftplusGradGradient(GradientContext& c) {
  Output grad = c.grad(), x = c.input(1);
  AfterGradient after(c, grad);
  Output gradients_grad = c.Add("SoftplusGrad", {grad, x});
  Output product = grad * c.input(0);
  Output minus = -x;
  Output sum = c.Add("Exp", {minus}) + 2.0;
  Output divisor = sum + c.Add("Exp", {x});
  return c.Return({gradients_grad, product / divisor});
}

RAMET_ACTIVATION_OP("Relu", kRelu, "T: {realnumbertype, qint8}", RAMET_REALS)
    .Doc("Returns max(x, 0) element-wise; NaN stays NaN. The output has the shape of the features.")
    .Gradient([](GradientContext& c) { return ByOutput(c, "ReluGrad"); });

RAMET_ACTIVATION_OP("Relu6", kRelu6, kAttrReal, RAMET_REALS)
    .Doc("Returns min(max(x, 0), 6) element-wise. The output has the shape of the features.")
    .Gradient([](GradientContext& c) { return ByOutput(c, "Relu6Grad"); });

RAMET_ACTIVATION_OP("Elu", kElu, kAttrShort, RAMET_FLOATS)
    .Doc(
        "Returns x where x > 0 and exp(x) - 1 elsewhere, element-wise. The output has the shape of "
        "the features.")
    .Gradient([](GradientContext& c) { return ByOutput(c, "EluGrad"); });

RAMET_ACTIVATION_OP("Selu", kSelu, kAttrShort, RAMET_FLOATS)
    .Doc(
        "Returns scale * x where x > 0 and scale * alpha * (exp(x) - 1) elsewhere, element-wise. "
        "With scale 1.0507 and alpha 1.6733, activations stay normalized. The output has the shape "
        "of the features.")
    .Gradient([](GradientContext& c) { return ByOutput(c, "SeluGrad"); });

RAMET_ACTIVATION_OP("Softplus", kSoftplus, kAttrShort, RAMET_FLOATS)
    .Doc(
        "Returns log(exp(x) + 1) element-wise, without overflow. The output has the shape of the "
        "features.")
    .Gradient(SoftplusGradient);

RAMET_ACTIVATION_OP("Softsign", kSoftsign, kAttrShort, RAMET_FLOATS)
    .Doc("Returns x / (|x| + 1) element-wise. The output has the shape of the features.")
    .Gradient([](GradientContext& c) {
      return c.Return({c.Add("SoftsignGrad", {c.grad(), c.input(0)})});
    });

RAMET_ACTIVATION_GRAD_OP("ReluGrad", kReluGrad, "features", kAttrReal, RAMET_REALS)
    .Doc(
        "Returns the gradients where the features (or activations) of Relu are greater than 0, and "
        "0 elsewhere. The output has the shape of the inputs. Error: the shapes of the inputs "
        "differ.")
    .Gradient([](GradientContext& c) { return ByFeatures(c, "ReluGrad"); });

RAMET_ACTIVATION_GRAD_OP("Relu6Grad", kRelu6Grad, "features", kAttrReal, RAMET_REALS)
    .Doc(
        "Returns the gradients where the features (or activations) of Relu6 are between 0 and 6, "
        "and 0 elsewhere. The output has the shape of the inputs. Error: the shapes of the inputs "
        "differ.")
    .Gradient([](GradientContext& c) { return ByFeatures(c, "Relu6Grad"); });

RAMET_ACTIVATION_GRAD_OP("EluGrad", kEluGrad, "outputs", kAttrShort, RAMET_FLOATS)
    .Doc(
        "Returns gradients * (outputs + 1) where the outputs of Elu are less than 0, and the "
        "gradients elsewhere. The output has the shape of the inputs. Error: the shapes of the "
        "inputs differ.")
    .Gradient([](GradientContext& c) { return ExponentialBelowZero(c, "EluGrad"); });

RAMET_ACTIVATION_GRAD_OP("SeluGrad", kSeluGrad, "outputs", kAttrShort, RAMET_FLOATS)
    .Doc(
        "Returns gradients * (outputs + scale * alpha) where the outputs of Selu are less than 0, "
        "and gradients * scale elsewhere. The output has the shape of the inputs. Error: the "
        "shapes of the inputs differ.")
    .Gradient([](GradientContext& c) { return ExponentialBelowZero(c, "SeluGrad"); });

RAMET_ACTIVATION_GRAD_OP("SoftplusGrad", kSoftplusGrad, "features", kAttrShort, RAMET_FLOATS)
    .Doc(
        "Returns gradients / (exp(-features) + 1), the gradient of Softplus. The output has the "
        "shape of the inputs. Error: the shapes of the inputs differ.")
    .Gradient(SoftplusGradGradient);

RAMET_ACTIVATION_GRAD_OP("SoftsignGrad", kSoftsignGrad, "features", kAttrShort, RAMET_FLOATS)
    .Doc(
        "Returns gradients / (|features| + 1)^2, the gradient of Softsign. The output has the "
        "shape of the inputs. Error: the shapes of the inputs differ.");

}  // namespace
}  // namespace ramet
