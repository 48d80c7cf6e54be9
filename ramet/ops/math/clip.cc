#include "ramet/op/device_rows.h"
#include "ramet/op/op.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"

namespace ramet {
namespace {

Status CheckBounds(KernelContext& c) {
  const Shape& t = c.input(0).shape();
  auto fits = [&](const Shape& s) { return s.rank() == 0 || s == t; };
  if (fits(c.input(1).shape()) && fits(c.input(2).shape())) return OkStatus();
  return InvalidArgument(
      "clip_value_min and clip_value_max must be either of the same shape as input, or a scalar. "
      "input shape: ",
      t, " clip_value_min shape: ", c.input(1).shape(),
      " clip_value_max shape: ", c.input(2).shape());
}

// A NaN bound has no effect. Both parts of a complex number are clipped.
template <class T>
T Clipped(T x, T low, T high) {
  if constexpr (std::is_arithmetic_v<T>) {
    const T v = high < x ? high : x;
    return v < low ? low : v;
  } else if constexpr (requires { x.real(); }) {
    return T(Clipped(x.real(), low.real(), high.real()),
             Clipped(x.imag(), low.imag(), high.imag()));
  } else {
    return T(Clipped(static_cast<float>(x), static_cast<float>(low), static_cast<float>(high)));
  }
}

template <class T>
Status ClipCompute(KernelContext& c) {
  const Tensor& t = c.input(0);
  RAMET_RETURN_IF_ERROR(CheckBounds(c));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.ForwardOrAllocate(0, {0}, t.dtype(), t.shape()));
  if (const DeviceRows* rows = DeviceRows::Of(*y)) {
    return rows->Clip(t, c.input(1), c.input(2), *y);
  }
  const T* x = t.data<T>();
  const T* low = c.input(1).data<T>();
  const T* high = c.input(2).data<T>();
  T* out = y->mutable_data<T>();
  const int64_t n = t.num_elements();
  const bool vector_low = c.input(1).rank() > 0, vector_high = c.input(2).rank() > 0;
  if (!vector_low && !vector_high) {
    const T lowest = *low, highest = *high;
    for (int64_t i = 0; i < n; ++i) out[i] = Clipped(x[i], lowest, highest);
  } else {
    for (int64_t i = 0; i < n; ++i) {
      out[i] = Clipped(x[i], low[vector_low ? i : 0], high[vector_high ? i : 0]);
    }
  }
  return OkStatus();
}

// Passes the gradient to where the value comes from: t, or the bound that replaced it.
Status ClipGradient(GradientContext& c) {
  Output t = c.input(0), low = c.input(1), high = c.input(2), grad = c.grad();
  Output t_shape = ShapeOf(c, t), low_shape = ShapeOf(c, low), high_shape = ShapeOf(c, high);
  Output grad_shape = ShapeOf(c, grad);
  Output zero = ScalarLike(c, grad.dtype(), 0, "zeros/Const");
  Output zeros = c.Add("Fill", {grad_shape, zero}, {}, "zeros");
  Output below = c.Add("Less", {t, low});
  Output above = c.Add("Greater", {t, high});
  Operation low_axes = c.AddOperation("BroadcastGradientArgs", {t_shape, low_shape});
  Operation high_axes = c.AddOperation("BroadcastGradientArgs", {t_shape, high_shape});
  if (!low_axes.valid() || !high_axes.valid()) return NoGradient(c);
  Output outside = c.Add("LogicalOr", {below, above});
  Output t_grad = c.Add("Select", {outside, zeros, grad});
  Output at_low = c.Add("Select", {below, grad, zeros});
  Output at_high = c.Add("Select", {above, grad, zeros});
  Output low_grad = Reshape(c, c.Add("Sum", {at_low, low_axes.output(1)}), low_shape);
  Output high_grad = Reshape(c, c.Add("Sum", {at_high, high_axes.output(1)}), high_shape);
  return c.Return({t_grad, low_grad, high_grad});
}

RAMET_OP("ClipByValue")
    .Foldable()
    .Input("t: T")
    .Input("clip_value_min: T")
    .Input("clip_value_max: T")
    .Output("output: T")
    .Attr("T: numbertype")
    .Doc(
        "Returns max(min(t, clip_value_max), clip_value_min) element-wise. The bounds are scalars "
        "or have the shape of t. NaN stays NaN, and a NaN bound has no effect. Both parts of a "
        "complex number are clipped. Error: a bound has a different shape.")
    .Shape(UnchangedShape)
    .Gradient(ClipGradient)
    .CpuKernels<RAMET_FLOATS, RAMET_SIGNED, uint8_t, uint16_t, RAMET_COMPLEX>(
        []<class T>(KernelContext& c) { return ClipCompute<T>(c); });

}  // namespace
}  // namespace ramet
