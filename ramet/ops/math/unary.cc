#include "ramet/ops/math/elementwise.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"

// Element-wise functions of one argument: arithmetic, powers, exponentials, rounding, tests.

namespace ramet {
namespace {

using linalg::UnaryOp;

constexpr char kAttrSigned[] =
    "T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}";

#define RAMET_UNARY_OP(name, kind, attr, ...) \
  RAMET_OP(name)                              \
      .Foldable()                             \
      .Input("x: T")                          \
      .Output("y: T")                         \
      .Attr(attr)                             \
      .Shape(UnchangedShape)                  \
      .CpuKernels<__VA_ARGS__>(UnaryKernel<UnaryOp::kind>())

#define RAMET_UNARY_TEST_OP(name, kind)                       \
  RAMET_OP(name)                                              \
      .Foldable()                                             \
      .Input("x: T")                                          \
      .Output("y: bool")                                      \
      .Attr(kAttrFloats)                                      \
      .Shape(UnchangedShape)                                  \
      .CpuKernels<RAMET_FLOATS>(UnaryKernel<UnaryOp::kind>()) \
      .NotDifferentiable()

// dx = op(y, dy).
template <class Name>
Status GradientByOp(GradientContext& c, Name op) {
  return c.Return({c.Add(op, {c.output(), c.grad()})});
}

Status SquareGradient(GradientContext& c) {
  Output grad = c.grad();
  AfterGradient after(c, grad);
  Output x = Conj(c, c.input(0));
  Output two = ScalarLike(c, x.dtype(), 2);
  Output twice = c.Add("Mul", {x, two});
  return c.Return({c.Add("Mul", {grad, twice})});
}

Status ExpGradient(GradientContext& c) {
  Output grad = c.grad();
  AfterGradient after(c, grad);
  Output y = Conj(c, c.output());
  return c.Return({grad * y});
}

Status Expm1Gradient(GradientContext& c) {
  Output grad = c.grad();
  AfterGradient after(c, grad);
  Output y = c.Add("Exp", {Conj(c, c.input(0))});
  return c.Return({grad * y});
}

Status LogGradient(GradientContext& c) {
  Output grad = c.grad();
  AfterGradient after(c, grad);
  Output slope = c.Add("Reciprocal", {Conj(c, c.input(0))});
  return c.Return({grad * slope});
}

Status Log1pGradient(GradientContext& c) {
  Output grad = c.grad();
  AfterGradient after(c, grad);
  Output x = Conj(c, c.input(0));
  Output slope = c.Add("Reciprocal", {1.0 + x});
  return c.Return({grad * slope});
}

// dx = op(conj(y), dy), after dy.
template <class Name>
Status GradientByOpAfter(GradientContext& c, Name op) {
  Output grad = c.grad();
  AfterGradient after(c, grad);
  Output y = Conj(c, c.output());
  return c.Return({c.Add(op, {y, grad})});
}

// d erf / dx = sign * 2 / sqrt(pi) * exp(-x^2).
Status ErfGradient(GradientContext& c, double sign) {
  constexpr double kTwoOverRootPi = 1.12837916709551257390;
  Output grad = c.grad();
  Output factor = ScalarLike(c, grad.dtype(), sign * kTwoOverRootPi);
  Output scaled = grad * factor;
  AfterGradient after(c, grad);
  Output minus_square = -c.Add("Square", {Conj(c, c.input(0))});
  Output bell = c.Add("Exp", {minus_square});
  return c.Return({scaled * bell});
}

RAMET_UNARY_OP("Neg", kNeg, kAttrSigned, RAMET_FLOATS, RAMET_SIGNED, RAMET_COMPLEX)
    .Doc("Returns -x element-wise; the smallest integer stays unchanged. y has the shape of x.")
    .Gradient([](GradientContext& c) { return c.Return({-c.grad()}); });

RAMET_UNARY_OP("Abs", kAbs, "T: {bfloat16, half, float, double, int8, int16, int32, int64}",
               RAMET_FLOATS, RAMET_SIGNED)
    .Doc("Returns |x| element-wise; the smallest integer stays unchanged. y has the shape of x.")
    .Gradient([](GradientContext& c) {
      Output sign = c.Add("Sign", {c.input(0)});
      return c.Return({c.grad() * sign});
    });

RAMET_UNARY_OP("Sign", kSign, kAttrSigned, RAMET_FLOATS, RAMET_SIGNED, RAMET_COMPLEX)
    .Doc(
        "Returns the sign of x, -1, 0 or 1, element-wise; for complex x it is x / |x|, or 0 for 0. "
        "NaN stays NaN. y has the shape of x.")
    .Gradient([](GradientContext& c) { return c.Return({ZerosLike(c, c.input(0))}); });

RAMET_UNARY_OP("Square", kSquare,
               "T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, "
               "uint32, uint64, complex64, complex128}",
               RAMET_NUMBERS)
    .Doc("Returns x * x element-wise. y has the shape of x.")
    .Gradient(SquareGradient);

RAMET_UNARY_OP("Sqrt", kSqrt, kAttrFloatsAndComplex, RAMET_FLOATS, RAMET_COMPLEX)
    .Doc("Returns the square root of x element-wise; NaN for real x < 0. y has the shape of x.")
    .Gradient([](GradientContext& c) { return GradientByOp(c, "SqrtGrad"); });

RAMET_UNARY_OP("Rsqrt", kRsqrt, kAttrFloatsAndComplex, RAMET_FLOATS, RAMET_COMPLEX)
    .Doc("Returns 1 / sqrt(x) element-wise. y has the shape of x.")
    .Gradient([](GradientContext& c) { return GradientByOp(c, "RsqrtGrad"); });

RAMET_UNARY_OP("Reciprocal", kReciprocal, kAttrSigned, RAMET_FLOATS, RAMET_COMPLEX)
    .Doc("Returns 1 / x element-wise. y has the shape of x. Integer types have no kernel.")
    .Gradient([](GradientContext& c) { return GradientByOp(c, "ReciprocalGrad"); });

RAMET_UNARY_OP("Inv", kReciprocal, kAttrSigned, RAMET_FLOATS, RAMET_COMPLEX)
    .Doc("Returns 1 / x element-wise. This is the old name of Reciprocal. y has the shape of x.")
    .Gradient([](GradientContext& c) { return GradientByOp(c, "ReciprocalGrad"); });

RAMET_UNARY_OP("Exp", kExp, kAttrFloatsAndComplex, RAMET_FLOATS, RAMET_COMPLEX)
    .Doc("Returns e to the power of x element-wise. y has the shape of x.")
    .Gradient(ExpGradient);

RAMET_UNARY_OP("Expm1", kExpm1, kAttrFloatsAndComplex, RAMET_FLOATS, RAMET_COMPLEX)
    .Doc("Returns exp(x) - 1 element-wise, accurate for small x. y has the shape of x.")
    .Gradient(Expm1Gradient);

RAMET_UNARY_OP("Log", kLog, kAttrFloatsAndComplex, RAMET_FLOATS, RAMET_COMPLEX)
    .Doc(
        "Returns the natural logarithm of x element-wise; -inf for 0, NaN for real x < 0. y has "
        "the shape of x.")
    .Gradient(LogGradient);

RAMET_UNARY_OP("Log1p", kLog1p, kAttrFloatsAndComplex, RAMET_FLOATS, RAMET_COMPLEX)
    .Doc("Returns log(1 + x) element-wise, accurate for small x. y has the shape of x.")
    .Gradient(Log1pGradient);

RAMET_UNARY_OP("Tanh", kTanh, kAttrFloatsAndComplex, RAMET_FLOATS, RAMET_COMPLEX)
    .Doc("Returns the hyperbolic tangent of x element-wise. y has the shape of x.")
    .Gradient([](GradientContext& c) { return GradientByOpAfter(c, "TanhGrad"); });

RAMET_UNARY_OP("Sigmoid", kSigmoid, kAttrFloatsAndComplex, RAMET_FLOATS, RAMET_COMPLEX)
    .Doc("Returns 1 / (1 + exp(-x)) element-wise. y has the shape of x.")
    .Gradient([](GradientContext& c) { return GradientByOpAfter(c, "SigmoidGrad"); });

RAMET_UNARY_OP("Erf", kErf, kAttrFloats, RAMET_FLOATS)
    .Doc("Returns the Gauss error function of x element-wise. y has the shape of x.")
    .Gradient([](GradientContext& c) { return ErfGradient(c, 1); });

RAMET_UNARY_OP("Erfc", kErfc, kAttrFloats, RAMET_FLOATS)
    .Doc("Returns 1 - erf(x) element-wise, accurate for large x. y has the shape of x.")
    .Gradient([](GradientContext& c) { return ErfGradient(c, -1); });

RAMET_UNARY_OP("Floor", kFloor, kAttrFloats, RAMET_FLOATS)
    .Doc(
        "Returns the largest integer that is not greater than x, element-wise. y has the shape of "
        "x.")
    .NotDifferentiable();

RAMET_UNARY_OP("Ceil", kCeil, kAttrFloats, RAMET_FLOATS)
    .Doc(
        "Returns the smallest integer that is not less than x, element-wise. y has the shape of x.")
    .NotDifferentiable();

RAMET_UNARY_OP("Round", kRound, kAttrSigned, RAMET_FLOATS, int32_t, int64_t)
    .Doc(
        "Returns the nearest integer, with halves rounded to even, element-wise. Integers stay "
        "unchanged. y has the shape of x.")
    .NotDifferentiable();

RAMET_UNARY_OP("Rint", kRint, kAttrFloats, float, double)
    .Doc(
        "Returns the nearest integer, with halves rounded to even, element-wise. y has the shape "
        "of x.")
    .NotDifferentiable();

RAMET_UNARY_TEST_OP("IsNan", kIsNan)
    .Doc("Returns whether x is NaN, element-wise. y has the shape of x.");

RAMET_UNARY_TEST_OP("IsInf", kIsInf)
    .Doc("Returns whether x is positive or negative infinity, element-wise. y has the shape of x.");

RAMET_UNARY_TEST_OP("IsFinite", kIsFinite)
    .Doc("Returns whether x is neither infinite nor NaN, element-wise. y has the shape of x.");

}  // namespace
}  // namespace ramet
