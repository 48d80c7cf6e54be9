#include "ramet/ops/math/elementwise.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"

// Trigonometric and hyperbolic functions and their inverses, element-wise.

namespace ramet {
namespace {

using linalg::UnaryOp;

#define RAMET_TRIGONOMETRIC_OP(name, kind) \
  RAMET_OP(name)                           \
      .Input("x: T")                       \
      .Output("y: T")                      \
      .Attr(kAttrFloatsAndComplex)         \
      .Shape(UnchangedShape)               \
      .CpuKernels<RAMET_FLOATS, RAMET_COMPLEX>(UnaryKernel<UnaryOp::kind>())

// dx = dy * op(x).
Status TimesOp(GradientContext& c, std::string_view op) {
  Output grad = c.grad();
  AfterGradient after(c, grad);
  Output slope = c.Add(op, {Conj(c, c.input(0))});
  return c.Return({grad * slope});
}

// dx = dy / op(y).
Status OverOp(GradientContext& c, std::string_view op) {
  Output grad = c.grad();
  AfterGradient after(c, grad);
  Output divisor = c.Add(op, {Conj(c, c.output())});
  return c.Return({grad / divisor});
}

Status CosGradient(GradientContext& c) {
  Output grad = c.grad();
  AfterGradient after(c, grad);
  Output x = Conj(c, c.input(0));
  Output minus = -grad;
  Output sin = c.Add("Sin", {x});
  return c.Return({minus * sin});
}

Status TanGradient(GradientContext& c) {
  Output grad = c.grad();
  AfterGradient after(c, grad);
  Output cos = c.Add("Cos", {Conj(c, c.input(0))});
  Output secant = c.Add("Reciprocal", {cos});
  Output square = c.Add("Square", {secant});
  return c.Return({square * grad});
}

// 1 / sqrt(1 - x^2).
Output AsinSlope(GradientContext& c) {
  Output square = c.Add("Square", {Conj(c, c.input(0))});
  Output one = ScalarLike(c, square.dtype(), 1);
  Output rest = c.Add("Sub", {one, square});
  Output root = c.Add("Sqrt", {rest});
  return c.Add("Reciprocal", {root});
}

Status AsinGradient(GradientContext& c) {
  Output grad = c.grad();
  AfterGradient after(c, grad);
  Output slope = AsinSlope(c);
  return c.Return({grad * slope});
}

Status AcosGradient(GradientContext& c) {
  Output grad = c.grad();
  AfterGradient after(c, grad);
  Output slope = AsinSlope(c);
  Output minus = -grad;
  return c.Return({minus * slope});
}

// dx = dy / (1 op x^2), op Add or Sub.
Status OneAndSquare(GradientContext& c, std::string_view op, std::string_view name) {
  Output grad = c.grad();
  AfterGradient after(c, grad);
  Output square = c.Add("Square", {Conj(c, c.input(0))});
  Output one = ScalarLike(c, square.dtype(), 1);
  Output divisor = c.Add(op, {one, square}, {}, name);
  Output slope = c.Add("Reciprocal", {divisor});
  return c.Return({grad * slope});
}

RAMET_TRIGONOMETRIC_OP("Sin", kSin)
    .Doc("Returns the sine of x (radians) element-wise; NaN for infinities. y has the shape of x.")
    .Gradient([](GradientContext& c) { return TimesOp(c, "Cos"); });

RAMET_TRIGONOMETRIC_OP("Cos", kCos)
    .Doc(
        "Returns the cosine of x (radians) element-wise; NaN for infinities. y has the shape of x.")
    .Gradient(CosGradient);

RAMET_TRIGONOMETRIC_OP("Tan", kTan)
    .Doc(
        "Returns the tangent of x (radians) element-wise; NaN for infinities. y has the shape of "
        "x.")
    .Gradient(TanGradient);

RAMET_TRIGONOMETRIC_OP("Asin", kAsin)
    .Doc(
        "Returns the angle in [-pi/2, pi/2] whose sine is x, element-wise; NaN for real |x| > 1. y "
        "has the shape of x.")
    .Gradient(AsinGradient);

RAMET_TRIGONOMETRIC_OP("Acos", kAcos)
    .Doc(
        "Returns the angle in [0, pi] whose cosine is x, element-wise; NaN for real |x| > 1. y has "
        "the shape of x.")
    .Gradient(AcosGradient);

RAMET_TRIGONOMETRIC_OP("Atan", kAtan)
    .Doc(
        "Returns the angle in [-pi/2, pi/2] whose tangent is x, element-wise. y has the shape of "
        "x.")
    .Gradient([](GradientContext& c) { return OneAndSquare(c, "AddV2", "Add"); });

RAMET_TRIGONOMETRIC_OP("Sinh", kSinh)
    .Doc("Returns the hyperbolic sine of x element-wise. y has the shape of x.")
    .Gradient([](GradientContext& c) { return TimesOp(c, "Cosh"); });

RAMET_TRIGONOMETRIC_OP("Cosh", kCosh)
    .Doc("Returns the hyperbolic cosine of x element-wise. y has the shape of x.")
    .Gradient([](GradientContext& c) { return TimesOp(c, "Sinh"); });

RAMET_TRIGONOMETRIC_OP("Asinh", kAsinh)
    .Doc("Returns the number whose hyperbolic sine is x, element-wise. y has the shape of x.")
    .Gradient([](GradientContext& c) { return OverOp(c, "Cosh"); });

RAMET_TRIGONOMETRIC_OP("Acosh", kAcosh)
    .Doc(
        "Returns the number >= 0 whose hyperbolic cosine is x, element-wise; NaN for real x < 1. y "
        "has the shape of x.")
    .Gradient([](GradientContext& c) { return OverOp(c, "Sinh"); });

RAMET_TRIGONOMETRIC_OP("Atanh", kAtanh)
    .Doc(
        "Returns the number whose hyperbolic tangent is x, element-wise; NaN for real |x| > 1. y "
        "has the shape of x.")
    .Gradient([](GradientContext& c) { return OneAndSquare(c, "Sub", "Sub"); });

}  // namespace
}  // namespace ramet
