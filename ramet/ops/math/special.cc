#include <cmath>
#include <limits>
#include <numbers>

#include "ramet/ops/array/grad_util.h"
#include "ramet/ops/math/broadcast_loop.h"
#include "ramet/ops/math/elementwise.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"

// The logarithm of the gamma function, its derivatives, and the zeta function.

namespace ramet {
namespace {

using linalg::UnaryOp;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The even Bernoulli numbers B2, B4, ...
constexpr double kBernoulli[] = {1.0 / 6,       -1.0 / 30,       1.0 / 42,      -1.0 / 30,
                                 5.0 / 66,      -691.0 / 2730,   7.0 / 6,       -3617.0 / 510,
                                 43867.0 / 798, -174611.0 / 330, 854513.0 / 138};

// Uses the recurrence up to x >= 10, and the asymptotic series from there.
double DigammaAbove0(double x) {
  double sum = 0;
  for (; x < 10; x += 1) sum -= 1 / x;
  const double inverse_square = 1 / (x * x);
  double power = inverse_square, series = 0;
  for (int k = 0; k < 8; ++k, power *= inverse_square)
    series += kBernoulli[k] / (2 * k + 2) * power;
  return sum + std::log(x) - 0.5 / x - series;
}

double Digamma(double x) {
  if (std::isnan(x) || x == kInfinity) return x;
  if (x > 0) return DigammaAbove0(x);
  if (x == std::floor(x)) return kNan;
  return DigammaAbove0(1 - x) - std::numbers::pi / std::tan(std::numbers::pi * x);
}

// Returns the sum over k >= 0 of (q + k)^-x, computed with the Euler-Maclaurin formula.
double Zeta(double x, double q) {
  if (std::isnan(x) || std::isnan(q)) return kNan;
  if (x == 1) return kInfinity;
  if (x < 1) return kNan;
  if (q <= 0) {
    if (q == std::floor(q)) return x == std::floor(x) && std::fmod(x, 2) != 0 ? kNan : kInfinity;
    if (x != std::floor(x)) return kNan;
  }
  double sum = 0, at = q;
  for (int k = 0; k < 12 || at <= 12; ++k, at += 1) {
    const double term = std::pow(at, -x);
    sum += term;
    if (at > 0 && std::abs(term) < 1e-17 * std::abs(sum)) return sum;
  }
  const double tail = std::pow(at, -x);
  sum += tail * at / (x - 1) + 0.5 * tail;
  double factor = x * tail / at, factorial = 2;
  for (int k = 0; k < 11; ++k) {
    const double term = kBernoulli[k] / factorial * factor;
    sum += term;
    if (std::abs(term) < 1e-17 * std::abs(sum)) break;
    factor *= (x + 2 * k + 1) * (x + 2 * k + 2) / (at * at);
    factorial *= (2 * k + 3) * (2 * k + 4);
  }
  return sum;
}

// Returns the n-th derivative of digamma.
double Polygamma(double n, double x) {
  if (n != std::floor(n) || n < 0) return kNan;
  if (n == 0) return Digamma(x);
  const double sign = std::fmod(n, 2) != 0 ? 1 : -1;
  int unused;
  return sign * std::exp(::lgamma_r(n + 1, &unused)) * Zeta(n + 1, x);
}

template <class T>
Status DigammaCompute(KernelContext& c) {
  const Tensor& x = c.input(0);
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.ForwardOrAllocate(0, {0}, x.dtype(), x.shape()));
  using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    const double value = Digamma(static_cast<Real>(x.data<T>()[i]));
    y->mutable_data<T>()[i] = static_cast<T>(static_cast<Real>(value));
  }
  return OkStatus();
}

template <class T, double (*kFunction)(double, double)>
Status BinaryCompute(KernelContext& c) {
  const Tensor &x = c.input(0), &y = c.input(1);
  RAMET_ASSIGN_OR_RETURN(Shape shape, BroadcastShapes(x.shape(), y.shape()));
  RAMET_ASSIGN_OR_RETURN(Tensor * z, c.Allocate(0, x.dtype(), shape));
  linalg::BroadcastPlan plan;
  linalg::BroadcastPlan::Make(x.shape().dims(), y.shape().dims(), &plan);
  T* out = z->mutable_data<T>();
  ForEachBroadcast<2>(plan, [&](int64_t i, const std::array<int64_t, 2>& at) {
    out[i] = static_cast<T>(kFunction(x.data<T>()[at[0]], y.data<T>()[at[1]]));
  });
  return OkStatus();
}

Status LgammaGradient(GradientContext& c) {
  Output grad = c.grad();
  AfterGradient after(c, grad);
  return c.Return({grad * c.Add("Digamma", {c.input(0)})});
}

Status DigammaGradient(GradientContext& c) {
  Output grad = c.grad();
  AfterGradient after(c, grad);
  Output one = ScalarLike(c, c.input(0).dtype(), 1);
  return c.Return({grad * c.Add("Polygamma", {one, c.input(0)})});
}

// Returns no gradient for the first argument, and slope(first, second) * grad for the second one.
template <class Slope>
Status SecondOnly(GradientContext& c, Slope slope) {
  Output grad = c.grad(), a = c.input(0), x = c.input(1);
  Output a_shape = ShapeOf(c, a), x_shape = ShapeOf(c, x);
  Operation axes = c.AddOperation("BroadcastGradientArgs", {a_shape, x_shape});
  if (!axes.valid()) return NoGradient(c);
  Output partial;
  {
    AfterGradient after(c, grad);
    partial = slope(a, x) * grad;
  }
  return c.Return({Gradient(), Reshape(c, c.Add("Sum", {partial, axes.output(1)}), x_shape)});
}

Status PolygammaGradient(GradientContext& c) {
  return SecondOnly(c, [&](Output a, Output x) { return c.Add("Polygamma", {a + 1.0, x}); });
}

Status ZetaGradient(GradientContext& c) {
  return SecondOnly(c, [&](Output x, Output q) {
    Output minus = -x;
    return minus * c.Add("Zeta", {x + 1.0, q});
  });
}

RAMET_OP("Lgamma")
    .Input("x: T")
    .Output("y: T")
    .Attr(kAttrFloats)
    .Doc("Returns log(|gamma(x)|) element-wise. y has the shape of x.")
    .Shape(UnchangedShape)
    .Gradient(LgammaGradient)
    .CpuKernels<RAMET_FLOATS>(UnaryKernel<UnaryOp::kLgamma>());

RAMET_OP("Digamma")
    .Input("x: T")
    .Output("y: T")
    .Attr(kAttrFloats)
    .Doc(
        "Returns the derivative of log(|gamma(x)|) element-wise; NaN for 0, -1, -2, ... y has the "
        "shape of x.")
    .Shape(UnchangedShape)
    .Gradient(DigammaGradient)
    .CpuKernels<RAMET_FLOATS>([]<class T>(KernelContext& c) { return DigammaCompute<T>(c); });

RAMET_OP("Polygamma")
    .Input("a: T")
    .Input("x: T")
    .Output("z: T")
    .Attr("T: {float, double}")
    .Doc(
        "Returns the a-th derivative of digamma(x) element-wise with broadcasting, and NaN where a "
        "is not an integer >= 0. Error: the shapes do not broadcast.")
    .Shape(BroadcastBinaryShape)
    .Gradient(PolygammaGradient)
    .CpuKernels<float, double>([]<class T>(KernelContext& c) {
      return BinaryCompute<T, Polygamma>(c);
    });

RAMET_OP("Zeta")
    .Input("x: T")
    .Input("q: T")
    .Output("z: T")
    .Attr("T: {float, double}")
    .Doc(
        "Returns the Hurwitz zeta function, the sum over k >= 0 of (q + k)^-x, element-wise with "
        "broadcasting. The result is infinite for x = 1 and NaN for x < 1. Error: the shapes do "
        "not broadcast.")
    .Shape(BroadcastBinaryShape)
    .Gradient(ZetaGradient)
    .CpuKernels<float, double>([]<class T>(KernelContext& c) { return BinaryCompute<T, Zeta>(c); });

}  // namespace
}  // namespace ramet
