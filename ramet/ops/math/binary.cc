#include <cmath>

#include "ramet/ops/math/broadcast_loop.h"
#include "ramet/ops/math/elementwise.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"

// Arithmetic on two arguments, element-wise with broadcasting.

namespace ramet {
namespace {

using linalg::BinaryOp;

constexpr char kAttrNumbers[] =
    "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, "
    "complex64, complex128}";
constexpr char kAttrReals[] =
    "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64}";

#define RAMET_BINARY_OP(name, kind, attr, ...) \
  RAMET_OP(name)                               \
      .Foldable()                              \
      .Input("x: T")                           \
      .Input("y: T")                           \
      .Output("z: T")                          \
      .Attr(attr)                              \
      .Shape(BroadcastBinaryShape)             \
      .CpuKernels<__VA_ARGS__>(BinaryKernel<BinaryOp::kind>())

Status ConcatenateStrings(KernelContext& c) {
  const Tensor& x = c.input(0);
  const Tensor& y = c.input(1);
  RAMET_ASSIGN_OR_RETURN(Shape shape, BroadcastShapes(x.shape(), y.shape()));
  RAMET_ASSIGN_OR_RETURN(Tensor * z, c.Allocate(0, kString, shape));
  linalg::BroadcastPlan plan;
  linalg::BroadcastPlan::Make(x.shape().dims(), y.shape().dims(), &plan);
  const std::string* a = x.data<std::string>();
  const std::string* b = y.data<std::string>();
  std::string* out = z->mutable_data<std::string>();
  ForEachBroadcast<2>(plan, [&](int64_t i, const auto& at) { out[i] = a[at[0]] + b[at[1]]; });
  return OkStatus();
}

// Computes x / y truncated toward zero.
template <class T>
Status TruncatedQuotient(KernelContext& c) {
  RAMET_RETURN_IF_ERROR(ComputeBinary(BinaryOp::kDiv, c));
  if constexpr (!std::is_integral_v<T>) {
    for (T& z : c.output(0).tensor.mutable_flat<T>()) {
      if constexpr (std::is_floating_point_v<T>) {
        z = std::trunc(z);
      } else {
        z = T(std::trunc(static_cast<float>(z)));
      }
    }
  }
  return OkStatus();
}

// Reports whether x, y and the gradient are known to have the same shape, so that nothing is
// broadcast.
bool NothingBroadcast(GradientContext& c, const Output& grad) {
  return SameKnownShape(c.input(0), c.input(1)) && SameKnownShape(c.input(0), grad);
}

Status AddGradient(GradientContext& c) {
  Output grad = c.grad();
  if (NothingBroadcast(c, grad)) return c.Return({grad, grad});
  return c.ReturnBroadcast(grad, grad);
}

Status SubGradient(GradientContext& c) {
  Output grad = c.grad();
  Output minus = -grad;
  if (NothingBroadcast(c, grad)) return c.Return({grad, minus});
  return c.ReturnBroadcast(grad, minus);
}

Status MulGradient(GradientContext& c) {
  Output grad = c.grad();
  if (BaseType(grad.dtype()) == kFloat && NothingBroadcast(c, grad)) {
    Output x_grad = c.Add("Mul", {grad, c.input(1)});
    return c.Return({x_grad, c.Add("Mul", {grad, c.input(0)})});
  }
  Output x_grad = c.Add("Mul", {grad, Conj(c, c.input(1))});
  Output y_grad = c.Add("Mul", {Conj(c, c.input(0)), grad});
  return c.ReturnBroadcast(x_grad, y_grad);
}

// The gradient of z = op(x, y) with dz/dx = 1 / y and dz/dy = -x / y / y, where each division is
// the op `op`.
Status DivGradient(GradientContext& c, std::string_view op, std::string_view name) {
  Output grad = c.grad();
  Output x = Conj(c, c.input(0));
  Output y = Conj(c, c.input(1));
  auto divide = [&](Output a, Output b) { return c.Add(op, {a, b}, {}, name); };
  Output x_grad = divide(grad, y);
  Output minus_x = -x;
  Output ratio = divide(minus_x, y);
  Output slope = divide(ratio, y);
  return c.ReturnBroadcast(x_grad, grad * slope);
}

Status MulNoNanGradient(GradientContext& c) {
  Output grad = c.grad();
  Output x_grad = c.Add("MulNoNan", {grad, c.input(1)});
  Output y_grad = c.Add("MulNoNan", {c.input(0), grad});
  return c.ReturnBroadcast(x_grad, y_grad);
}

// The gradient of z = x - q * y, where q = quotient(x, y) is an integer.
Status ModGradient(GradientContext& c, std::string_view quotient) {
  Output grad = c.grad();
  Output q = c.Add(quotient, {c.input(0), c.input(1)});
  Output minus = -q;
  return c.ReturnBroadcast(grad, grad * minus);
}

// Passes the gradient to x where test(x, y) is true, and to y elsewhere.
Status ChosenGradient(GradientContext& c, std::string_view test) {
  Output grad = c.grad();
  Output zeros = ZerosLike(c, grad);
  Output chosen = c.Add(test, {c.input(0), c.input(1)});
  Output x_grad = c.Add("SelectV2", {chosen, grad, zeros});
  Output y_grad = c.Add("SelectV2", {chosen, zeros, grad});
  return c.ReturnBroadcast(x_grad, y_grad);
}

// Returns log(x) where it exists, and 0 elsewhere, where x^y is not a smooth function of y.
Output LogOrZero(GradientContext& c, const Output& x) {
  const bool complex = IsComplex(BaseType(x.dtype()));
  Output has_log = c.Add(complex ? "NotEqual" : "Greater", {x, 0.0});
  Output safe = c.Add("Select", {has_log, x, OnesLike(c, c.input(0))});
  Output log = c.Add("Log", {safe});
  return c.Add("Select", {has_log, log, ZerosLike(c, c.input(0))});
}

Status PowGradient(GradientContext& c) {
  Output grad = c.grad();
  Output x = Conj(c, c.input(0));
  Output y = Conj(c, c.input(1));
  Output by_y = grad * y;
  Output less = y - 1.0;
  Output power = c.Add("Pow", {x, less});
  Output x_grad = by_y * power;
  Output log = LogOrZero(c, x);
  Output by_z = grad * Conj(c, c.output());
  return c.ReturnBroadcast(x_grad, by_z * log);
}

Status SquaredDifferenceGradient(GradientContext& c) {
  Output grad = c.grad();
  Output x_grad;
  {
    AfterGradient after(c, grad);
    Output two = ScalarLike(c, grad.dtype(), 2, "scalar");
    Output twice = c.Add("Mul", {two, grad});
    Output difference = c.input(0) - c.input(1);
    x_grad = twice * difference;
  }
  return c.ReturnBroadcast(x_grad, -x_grad);
}

Status Atan2Gradient(GradientContext& c) {
  Output grad = c.grad();
  AfterGradient after(c, grad);
  Output y_square = c.Add("Square", {c.input(0)});
  Output x_square = c.Add("Square", {c.input(1)});
  Output ratio = grad / (y_square + x_square);
  Output y_grad = c.input(1) * ratio;
  Output minus_y = -c.input(0);
  return c.ReturnBroadcast(y_grad, minus_y * ratio);
}

RAMET_BINARY_OP("AddV2", kAdd,
                "T: {bfloat16, half, float, double, uint8, uint16, uint32, uint64, int8, int16, "
                "int32, int64, complex64, complex128}",
                RAMET_NUMBERS)
    .Commutative()
    .Aggregate()
    .Doc(
        "Returns x + y element-wise with broadcasting; integers wrap. Error: the shapes do not "
        "broadcast.")
    .Gradient(AddGradient);

RAMET_BINARY_OP("Add", kAdd,
                "T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, "
                "complex128, string}",
                RAMET_FLOATS, uint8_t, RAMET_SIGNED, RAMET_COMPLEX)
    .CpuKernel("T", kString, ConcatenateStrings)
    .Doc(
        "Returns x + y element-wise with broadcasting; strings are concatenated, integers wrap. "
        "Error: the shapes do not broadcast.")
    .Gradient(AddGradient);

RAMET_BINARY_OP("Sub", kSub,
                "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, int64, "
                "complex64, complex128, uint32, uint64}",
                RAMET_NUMBERS)
    .Doc(
        "Returns x - y element-wise with broadcasting; integers wrap. Error: the shapes do not "
        "broadcast.")
    .Gradient(SubGradient);

RAMET_BINARY_OP("Mul", kMul, kAttrNumbers, RAMET_NUMBERS)
    .Commutative()
    .Doc(
        "Returns x * y element-wise with broadcasting; integers wrap. Error: the shapes do not "
        "broadcast.")
    .Gradient(MulGradient);

RAMET_BINARY_OP("RealDiv", kDiv, kAttrNumbers, RAMET_FLOATS, RAMET_COMPLEX)
    .Doc(
        "Returns x / y element-wise with broadcasting, for floating and complex types. Error: the "
        "shapes do not broadcast.")
    .Gradient([](GradientContext& c) { return DivGradient(c, "RealDiv", "RealDiv"); });

RAMET_BINARY_OP("Div", kDiv, kAttrNumbers, RAMET_NUMBERS)
    .Doc(
        "Returns x / y element-wise with broadcasting; integers are rounded toward zero. Error: an "
        "integer y is 0; the shapes do not broadcast.")
    .Gradient([](GradientContext& c) { return DivGradient(c, "RealDiv", "truediv"); });

RAMET_BINARY_OP("FloorDiv", kFloorDiv, kAttrNumbers, RAMET_REALS)
    .Doc(
        "Returns floor(x / y) element-wise with broadcasting. Error: an integer y is 0; the shapes "
        "do not broadcast.")
    .NotDifferentiable();

RAMET_OP("TruncateDiv")
    .Foldable()
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(kAttrNumbers)
    .Doc(
        "Returns x / y rounded toward zero, element-wise with broadcasting. Error: an integer y is "
        "0; the shapes do not broadcast.")
    .Shape(BroadcastBinaryShape)
    .CpuKernels<RAMET_REALS>([]<class T>(KernelContext& c) { return TruncatedQuotient<T>(c); })
    .NotDifferentiable();

RAMET_BINARY_OP("FloorMod", kFloorMod,
                "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64, bfloat16, half, "
                "float, double}",
                RAMET_REALS)
    .Doc(
        "Returns x - floor(x / y) * y element-wise with broadcasting, which is the remainder with "
        "the sign of y. Error: an integer y is 0; the shapes do not broadcast.")
    .Gradient([](GradientContext& c) { return ModGradient(c, "FloorDiv"); });

RAMET_BINARY_OP("Mod", kMod, "T: {int32, int64, half, half, bfloat16, float, double}", int32_t,
                int64_t, float, double)
    .Doc(
        "Returns the remainder of x / y with the sign of x, element-wise with broadcasting. This "
        "is the old name of TruncateMod. Error: an integer y is 0; the shapes do not broadcast.")
    .Gradient([](GradientContext& c) { return ModGradient(c, "TruncateDiv"); });

RAMET_BINARY_OP("TruncateMod", kMod, "T: {int32, int64, bfloat16, half, float, double}", int32_t,
                int64_t, float, double)
    .Doc(
        "Returns the remainder of x / y with the sign of x, element-wise with broadcasting. Error: "
        "an integer y is 0; the shapes do not broadcast.")
    .Gradient([](GradientContext& c) { return ModGradient(c, "TruncateDiv"); });

RAMET_BINARY_OP("Maximum", kMaximum, kAttrReals, RAMET_REALS)
    .Doc(
        "Returns the larger of x and y element-wise with broadcasting, or NaN if either is NaN. "
        "The gradient of equal elements goes to x. Error: the shapes do not broadcast.")
    .Gradient([](GradientContext& c) { return ChosenGradient(c, "GreaterEqual"); });

RAMET_BINARY_OP("Minimum", kMinimum, kAttrReals, RAMET_REALS)
    .Doc(
        "Returns the smaller of x and y element-wise with broadcasting, or NaN if either is NaN. "
        "The gradient of equal elements goes to x. Error: the shapes do not broadcast.")
    .Gradient([](GradientContext& c) { return ChosenGradient(c, "LessEqual"); });

RAMET_BINARY_OP("Pow", kPow,
                "T: {bfloat16, float, half, double, int8, int16, int32, int64, complex64, "
                "complex128}",
                RAMET_FLOATS, RAMET_SIGNED, RAMET_COMPLEX)
    .Doc(
        "Returns x to the power of y element-wise with broadcasting. The result is NaN if x is "
        "real and negative and y is not an integer. Error: an integer y is negative; the shapes do "
        "not broadcast.")
    .Gradient(PowGradient);

RAMET_BINARY_OP("SquaredDifference", kSquaredDifference,
                "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}",
                RAMET_FLOATS, int32_t, int64_t, RAMET_COMPLEX)
    .Commutative()
    .Doc(
        "Returns (x - y) * conj(x - y) element-wise with broadcasting. Error: the shapes do not "
        "broadcast.")
    .Gradient(SquaredDifferenceGradient);

RAMET_BINARY_OP("DivNoNan", kDivNoNan, "T: {half, float, bfloat16, double, complex64, complex128}",
                RAMET_FLOATS, RAMET_COMPLEX)
    .Doc(
        "Returns x / y element-wise with broadcasting, and 0 where y is 0. Error: the shapes do "
        "not broadcast.")
    .Gradient([](GradientContext& c) { return DivGradient(c, "DivNoNan", "div_no_nan"); });

RAMET_BINARY_OP("MulNoNan", kMulNoNan, kAttrFloatsAndComplex, RAMET_FLOATS, RAMET_COMPLEX)
    .Doc(
        "Returns x * y element-wise with broadcasting, and 0 where y is 0, even if x is infinite "
        "or NaN. Error: the shapes do not broadcast.")
    .Gradient(MulNoNanGradient);

RAMET_OP("Atan2")
    .Foldable()
    .Input("y: T")
    .Input("x: T")
    .Output("z: T")
    .Attr(kAttrFloats)
    .Doc(
        "Returns the angle in [-pi, pi] of the point (x, y), element-wise with broadcasting. "
        "Error: the shapes do not broadcast.")
    .Shape(BroadcastBinaryShape)
    .Gradient(Atan2Gradient)
    .CpuKernels<RAMET_FLOATS>(BinaryKernel<BinaryOp::kAtan2>());

}  // namespace
}  // namespace ramet
