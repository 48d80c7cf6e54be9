#include <cmath>
#include <limits>
#include <numbers>

#include "ramet/linalg/special.h"
#include "ramet/ops/array/grad_util.h"
#include "ramet/ops/math/broadcast_loop.h"
#include "ramet/ops/math/elementwise.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"

// Bessel functions, incomplete gamma and beta functions, and inverses of distribution functions.

namespace ramet {
namespace {

using linalg::Special;

// The type for computations: float for short floats.
template <class T>
using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <template <class> class Function, class T>
Status Unary(KernelContext& c) {
  const Tensor& x = c.input(0);
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.ForwardOrAllocate(0, {0}, x.dtype(), x.shape()));
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    const auto value = static_cast<Real<T>>(x.data<T>()[i]);
    y->mutable_data<T>()[i] = static_cast<T>(Function<Real<T>>::Of(value));
  }
  return OkStatus();
}

template <template <class> class Function, class T>
Status Binary(KernelContext& c) {
  const Tensor &x = c.input(0), &y = c.input(1);
  RAMET_ASSIGN_OR_RETURN(Shape shape, BroadcastShapes(x.shape(), y.shape()));
  RAMET_ASSIGN_OR_RETURN(Tensor * z, c.Allocate(0, x.dtype(), shape));
  linalg::BroadcastPlan plan;
  linalg::BroadcastPlan::Make(x.shape().dims(), y.shape().dims(), &plan);
  T* out = z->mutable_data<T>();
  ForEachBroadcast<2>(plan, [&](int64_t i, const std::array<int64_t, 2>& at) {
    out[i] = Function<T>::Of(x.data<T>()[at[0]], y.data<T>()[at[1]]);
  });
  return OkStatus();
}

#define RAMET_SPECIAL_UNARY(name)                    \
  template <class T>                                 \
  struct name##Of {                                  \
    static T Of(T x) { return Special<T>::name(x); } \
  }
RAMET_SPECIAL_UNARY(BesselI0e);
RAMET_SPECIAL_UNARY(BesselI1e);
RAMET_SPECIAL_UNARY(Erfinv);
RAMET_SPECIAL_UNARY(Ndtri);

#define RAMET_SPECIAL_BINARY(name)                           \
  template <class T>                                         \
  struct name##Of {                                          \
    static T Of(T a, T x) { return Special<T>::name(a, x); } \
  }
RAMET_SPECIAL_BINARY(Igamma);
RAMET_SPECIAL_BINARY(Igammac);
RAMET_SPECIAL_BINARY(IgammaGradA);
RAMET_SPECIAL_BINARY(GammaSampleGradA);

template <class T>
struct NextAfterOf {
  static T Of(T x, T to) { return std::nextafter(x, to); }
};

// a, b and x have the same shape or are scalars.
template <class T>
Status Betainc(KernelContext& c) {
  Shape shape;
  char given = 'a';
  for (int i = 0; i < 3; ++i) {
    const Shape& found = c.input(i).shape();
    if (found.rank() == 0) continue;
    if (shape.rank() == 0) {
      shape = found;
      given = "abx"[i];
    } else if (shape != found) {
      return InvalidArgument("Shapes of ", given, " and ", "abx"[i], " are inconsistent: ", shape,
                             " vs. ", found);
    }
  }
  RAMET_ASSIGN_OR_RETURN(Tensor * z, c.Allocate(0, DTypeOf<T>::value, shape));
  const auto at = [&](int i, int64_t k) {
    return c.input(i).data<T>()[c.input(i).rank() == 0 ? 0 : k];
  };
  for (int64_t k = 0; k < z->num_elements(); ++k) {
    z->mutable_data<T>()[k] = Special<T>::Betainc(at(0, k), at(1, k), at(2, k));
  }
  return OkStatus();
}

Status BetaincShape(ShapeContext& c) {
  Shape shape = Shape::Unknown();
  bool scalars = true;
  for (int i = 0; i < 3; ++i) {
    const Shape& found = c.input(i);
    if (found.unknown_rank()) return OkStatus();
    if (found.rank() == 0) continue;
    scalars = false;
    RAMET_ASSIGN_OR_RETURN(shape, shape.MergeWith(found));
  }
  c.set_output(0, scalars ? Shape() : shape);
  return OkStatus();
}

// Returns the partial derivatives times grad, summed to the shapes of both inputs.
template <class First, class Second>
Status ReturnPartials(GradientContext& c, First first, Second second) {
  Output grad = c.grad(), a = c.input(0), x = c.input(1);
  Output a_shape = ShapeOf(c, a), x_shape = ShapeOf(c, x);
  Operation axes = c.AddOperation("BroadcastGradientArgs", {a_shape, x_shape});
  if (!axes.valid()) return NoGradient(c);
  AfterGradient after(c, grad);
  Output by_a = first(a, x), by_x = second(a, x);
  auto reduced = [&](Output partial, int operand, Output shape) {
    return Reshape(c, c.Add("Sum", {partial * grad, axes.output(operand)}), shape);
  };
  Output a_grad = reduced(by_a, 0, a_shape);
  return c.Return({a_grad, reduced(by_x, 1, x_shape)});
}

// d Igamma(a, x) / dx = exp(-x + (a - 1) log(x) - lgamma(a)).
Output IgammaByX(GradientContext& c, Output a, Output x) {
  Output logarithm = c.Add("Xlogy", {a - 1.0, x});
  Output minus = -x;
  return c.Add("Exp", {minus + logarithm - c.Add("Lgamma", {a})});
}

Status IgammaGradient(GradientContext& c) {
  return ReturnPartials(
      c,
      [&](Output a, Output x) {
        return c.Add("IgammaGradA", {a, x});
      },
      [&](Output a, Output x) { return IgammaByX(c, a, x); });
}

Status IgammacGradient(GradientContext& c) {
  return ReturnPartials(
      c,
      [&](Output a, Output x) {
        return -c.Add("IgammaGradA", {a, x});
      },
      [&](Output a, Output x) { return -IgammaByX(c, a, x); });
}

Status NextAfterGradient(GradientContext& c) {
  return ReturnPartials(
      c, [&](Output a, Output) { return OnesLike(c, a); },
      [&](Output, Output x) { return ZerosLike(c, x); });
}

// The gradient with respect to x only: x^(a-1) (1-x)^(b-1) / B(a, b).
Status BetaincGradient(GradientContext& c) {
  Output grad = c.grad(), a = c.input(0), b = c.input(1), x = c.input(2);
  Output a_shape = ShapeOf(c, a), x_shape = ShapeOf(c, x);
  Operation axes = c.AddOperation("BroadcastGradientArgs", {a_shape, x_shape});
  if (!axes.valid()) return NoGradient(c);
  Output beta = c.Add("Lgamma", {a}) + c.Add("Lgamma", {b}) - c.Add("Lgamma", {a + b});
  Output minus = -x;
  Output sum = c.Add("Xlog1py", {b - 1.0, minus}) + c.Add("Xlogy", {a - 1.0, x}) - beta;
  Output partial = c.Add("Exp", {sum}) * grad;
  return c.Return(
      {Gradient(), Gradient(), Reshape(c, c.Add("Sum", {partial, axes.output(1)}), x_shape)});
}

Status BesselI0eGradient(GradientContext& c) {
  Output grad = c.grad(), x = c.input(0);
  AfterGradient after(c, grad);
  Output slope = c.Add("BesselI1e", {x}) - c.Add("Sign", {x}) * c.output();
  return c.Return({grad * slope});
}

// The slope is 0.5 near 0, where the formula would divide by x.
Status BesselI1eGradient(GradientContext& c) {
  Output grad = c.grad(), x = c.input(0), y = c.output();
  AfterGradient after(c, grad);
  const double epsilon = x.dtype() == kDouble ? std::numeric_limits<double>::epsilon()
                                              : std::numeric_limits<float>::epsilon();
  Output away = c.Add("Greater", {c.Add("Abs", {x}), ScalarLike(c, x.dtype(), epsilon)});
  Output ones = OnesLike(c, x);
  Output safe = c.Add("SelectV2", {away, x, ones});
  Output slope =
      c.Add("BesselI0e", {safe}) - y * (c.Add("Sign", {safe}) + c.Add("Reciprocal", {safe}));
  Output half = ScalarLike(c, x.dtype(), 0.5);
  return c.Return({grad * c.Add("SelectV2", {away, slope, half})});
}

// The gradient of the inverse of an integral over exp(-t^2 / scale): factor * exp(y^2 / scale).
Status InverseGradient(GradientContext& c, double factor, double scale) {
  Output grad = c.grad(), y = c.output();
  AfterGradient after(c, grad);
  Output square = c.Add("Square", {y});
  if (scale != 1) square = square / scale;
  return c.Return({ScalarLike(c, y.dtype(), factor) * grad * c.Add("Exp", {square})});
}

Status ErfinvGradient(GradientContext& c) {
  return InverseGradient(c, std::sqrt(std::numbers::pi) / 2, 1);
}

Status NdtriGradient(GradientContext& c) {
  return InverseGradient(c, std::sqrt(2 * std::numbers::pi), 2);
}

#define RAMET_SPECIAL_OP(name) \
  RAMET_OP(#name)              \
      .Input("x: T")           \
      .Output("y: T")          \
      .Attr(kAttrFloats)       \
      .Shape(UnchangedShape)   \
      .Gradient(name##Gradient)

RAMET_SPECIAL_OP(BesselI0e)
    .Doc(
        "Returns the modified Bessel function of the first kind of order 0, times exp(-|x|), "
        "element-wise. y has the shape of x.")
    .CpuKernels<Half, float, double>([]<class T>(KernelContext& c) {
      return Unary<BesselI0eOf, T>(c);
    });

RAMET_SPECIAL_OP(BesselI1e)
    .Doc(
        "Returns the modified Bessel function of the first kind of order 1, times exp(-|x|), "
        "element-wise. y has the shape of x.")
    .CpuKernels<Half, float, double>([]<class T>(KernelContext& c) {
      return Unary<BesselI1eOf, T>(c);
    });

RAMET_SPECIAL_OP(Erfinv)
    .Doc(
        "Returns the inverse of the error function of x, element-wise; infinite for -1 and 1. y "
        "has the shape of x.")
    .CpuKernels<float, double>([]<class T>(KernelContext& c) { return Unary<ErfinvOf, T>(c); });

RAMET_SPECIAL_OP(Ndtri)
    .Doc(
        "Returns the quantile function of the standard normal distribution at x, element-wise; "
        "infinite for 0 and 1. y has the shape of x.")
    .CpuKernels<float, double>([]<class T>(KernelContext& c) { return Unary<NdtriOf, T>(c); });

#define RAMET_IGAMMA_OP(name)      \
  RAMET_OP(#name)                  \
      .Input("a: T")               \
      .Input("x: T")               \
      .Output("z: T")              \
      .Shape(BroadcastBinaryShape) \
      .CpuKernels<float, double>([]<class T>(KernelContext& c) { return Binary<name##Of, T>(c); })

RAMET_IGAMMA_OP(Igamma)
    .Attr(kAttrFloats)
    .Doc(
        "Returns the regularized lower incomplete gamma function element-wise with broadcasting; "
        "NaN for x < 0 or a <= 0. Error: the shapes do not broadcast.")
    .Gradient(IgammaGradient);

RAMET_IGAMMA_OP(Igammac)
    .Attr(kAttrFloats)
    .Doc(
        "Returns the regularized upper incomplete gamma function element-wise with broadcasting; "
        "NaN for x < 0 or a <= 0. Error: the shapes do not broadcast.")
    .Gradient(IgammacGradient);

RAMET_IGAMMA_OP(IgammaGradA)
    .Attr("T: {float, double}")
    .Doc(
        "Returns the derivative of Igamma(a, x) with respect to a, element-wise with broadcasting. "
        "Error: the shapes do not broadcast.")
    .NotDifferentiable();

RAMET_OP("RandomGammaGrad")
    .Input("alpha: T")
    .Input("sample: T")
    .Output("output: T")
    .Attr("T: {float, double}")
    .Doc(
        "Returns the derivatives of samples from gamma distributions with respect to the shape "
        "parameters alpha, element-wise with broadcasting. Error: the shapes do not broadcast.")
    .Shape(BroadcastBinaryShape)
    .CpuKernels<float, double>([]<class T>(KernelContext& c) {
      return Binary<GammaSampleGradAOf, T>(c);
    });

RAMET_OP("NextAfter")
    .Input("x1: T")
    .Input("x2: T")
    .Output("output: T")
    .Attr("T: {double, float} = float")
    .Doc(
        "Returns the next representable number after x1 in the direction of x2, element-wise with "
        "broadcasting. Error: the shapes do not broadcast.")
    .Shape(BroadcastBinaryShape)
    .Gradient(NextAfterGradient)
    .CpuKernels<float, double>([]<class T>(KernelContext& c) { return Binary<NextAfterOf, T>(c); });

RAMET_OP("Betainc")
    .Input("a: T")
    .Input("b: T")
    .Input("x: T")
    .Output("z: T")
    .Attr("T: {float, double}")
    .Doc(
        "Returns the regularized incomplete beta function element-wise. a, b and x have the same "
        "shape or are scalars. Only x has a gradient. Error: the shapes differ.")
    .Shape(BetaincShape)
    .Gradient(BetaincGradient)
    .CpuKernels<float, double>([]<class T>(KernelContext& c) { return Betainc<T>(c); });

}  // namespace
}  // namespace ramet
