#include "ramet/ops/math/elementwise.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"

// Products that are 0 where the first factor is 0, whatever the second factor is.

namespace ramet {
namespace {

using linalg::BinaryOp;

#define RAMET_XLOGY_OP(name, kind)                                       \
  RAMET_OP(name)                                                         \
      .Input("x: T")                                                     \
      .Input("y: T")                                                     \
      .Output("z: T")                                                    \
      .Attr("T: {half, bfloat16, float, double, complex64, complex128}") \
      .Shape(BroadcastBinaryShape)                                       \
      .CpuKernels<RAMET_FLOATS, RAMET_COMPLEX>(BinaryKernel<BinaryOp::kind>())

// Returns 1 where x is not 0, and 0 elsewhere.
Output NotZero(GradientContext& c, const Output& x) {
  const DType type = BaseType(x.dtype());
  Output zero = ScalarLike(c, kFloat, 0, "Cast/x");
  if (type != kFloat) zero = c.Add("Cast", {zero}, {{"DstT", type}});
  Output test = c.Add("NotEqual", {x, zero});
  return c.Add("Cast", {test}, {{"DstT", type}}, "Cast_1");
}

// dz/dx = op(x != 0, y), dz/dy = y_slope(x, y).
template <class YSlope>
Status ReturnSlopes(GradientContext& c, std::string_view op, YSlope y_slope) {
  Output grad = c.grad();
  Output x = c.input(0), y = c.input(1);
  Output x_shape = ShapeOf(c, x), y_shape = ShapeOf(c, y);
  Operation axes = c.AddOperation("BroadcastGradientArgs", {x_shape, y_shape});
  if (!axes.valid()) return NoGradient(c);
  AfterGradient after(c, grad);
  Output dx = c.Add(op, {NotZero(c, x), y});
  Output dy = y_slope(x, y);
  auto reduced = [&](Output slope, int operand, Output shape) {
    Output product = slope * grad;
    return Reshape(c, c.Add("Sum", {product, axes.output(operand)}), shape);
  };
  Output x_grad = reduced(dx, 0, x_shape);
  return c.Return({x_grad, reduced(dy, 1, y_shape)});
}

Status XdivyGradient(GradientContext& c) {
  return ReturnSlopes(c, "Xdivy", [&](Output x, Output y) {
    Output minus = -x;
    Output square = c.Add("Pow", {y, 2.0}, {}, "pow");
    return c.Add("Xdivy", {minus, square});
  });
}

Status XlogyGradient(GradientContext& c) {
  return ReturnSlopes(c, "Xlogy", [&](Output x, Output y) { return c.Add("Xdivy", {x, y}); });
}

Status Xlog1pyGradient(GradientContext& c) {
  return ReturnSlopes(c, "Xlog1py", [&](Output x, Output y) {
    return c.Add("Xdivy", {x, y + 1.0});
  });
}

RAMET_XLOGY_OP("Xdivy", kXdivy)
    .Doc(
        "Returns x / y element-wise with broadcasting, and 0 where x is 0. Error: the shapes do "
        "not broadcast.")
    .Gradient(XdivyGradient);

RAMET_XLOGY_OP("Xlogy", kXlogy)
    .Doc(
        "Returns x * log(y) element-wise with broadcasting, and 0 where x is 0. Error: the shapes "
        "do not broadcast.")
    .Gradient(XlogyGradient);

RAMET_XLOGY_OP("Xlog1py", kXlog1py)
    .Doc(
        "Returns x * log(1 + y) element-wise with broadcasting, and 0 where x is 0. Error: the "
        "shapes do not broadcast.")
    .Gradient(Xlog1pyGradient);

}  // namespace
}  // namespace ramet
