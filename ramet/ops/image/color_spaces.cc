#include <algorithm>
#include <cmath>

#include "ramet/linalg/parallel.h"
#include "ramet/ops/image/color.h"

#include "ramet/ops/math/types.h"

// Conversions between RGB and HSV.

namespace ramet {
namespace {

// A number as the element type T computes with it: short floats are rounded after each operation.
template <class T>
struct RoundedNumber {
  using Number = std::conditional_t<std::is_same_v<T, double>, double, float>;
  RoundedNumber(Number v)  // NOLINT: implicit on purpose
      : value(static_cast<Number>(static_cast<T>(v))) {}
  static RoundedNumber Of(T x) { return RoundedNumber(static_cast<Number>(x)); }

  friend RoundedNumber operator+(RoundedNumber a, RoundedNumber b) { return a.value + b.value; }
  friend RoundedNumber operator-(RoundedNumber a, RoundedNumber b) { return a.value - b.value; }
  friend RoundedNumber operator*(RoundedNumber a, RoundedNumber b) { return a.value * b.value; }
  friend RoundedNumber operator/(RoundedNumber a, RoundedNumber b) { return a.value / b.value; }

  Number value;
};

// Return the greater and the lesser of two numbers, and b if one is NaN, as in TensorFlow.
template <class R>
R Greater(R a, R b) {
  return a.value > b.value ? a : b;
}
template <class R>
R Lesser(R a, R b) {
  return a.value < b.value ? a : b;
}

template <class T>
void RgbToHsv(const T* rgb, T* hsv) {
  using R = RoundedNumber<T>;
  const R r = R::Of(rgb[0]), g = R::Of(rgb[1]), b = R::Of(rgb[2]);
  const R value = Greater(Greater(r, g), b);
  const R range = value - Lesser(Lesser(r, g), b);
  const R saturation = value.value > 0 ? range / value : R(0);
  const R sixth = R(1) / range * (R(1) / R(6));
  R hue = b.value == value.value ? sixth * (r - g) + R(4) / R(6) : R(0);
  if (g.value == value.value) hue = sixth * (b - r) + R(2) / R(6);
  if (r.value == value.value) hue = sixth * (g - b);
  if (!(range.value > 0)) hue = R(0);
  if (hue.value < 0) hue = hue + R(1);
  const R channels[] = {hue, saturation, value};
  for (int k = 0; k < kRgbChannels; ++k) hsv[k] = static_cast<T>(channels[k].value);
}

template <class T>
void HsvToRgb(const T* hsv, T* rgb) {
  using R = RoundedNumber<T>;
  const R hue = R::Of(hsv[0]) * R(6), saturation = R::Of(hsv[1]), value = R::Of(hsv[2]);
  const auto unit = [](R x) {
    return R(std::min(std::max(x.value, decltype(x.value){0}), decltype(x.value){1}));
  };
  const auto away = [&](int from) { return R(std::abs((hue - R(from)).value)); };
  const R ramps[] = {unit(away(3) - R(1)), unit(R(2) - away(2)), unit(R(2) - away(4))};
  for (int k = 0; k < kRgbChannels; ++k) {
    rgb[k] = static_cast<T>(((R(1) - saturation + ramps[k] * saturation) * value).value);
  }
}

// Converts each pixel with `convert(in, out)`.
template <class T, class Fn>
Status ConvertColors(KernelContext& c, Fn convert) {
  const Tensor& x = c.input(0);
  if (x.rank() < 1) return InvalidArgument("input must be at least 1D", x.shape());
  const int64_t channels = x.dim(x.rank() - 1);
  if (channels != kRgbChannels) {
    return FailedPrecondition("input must have 3 channels but input only has ", channels,
                              " channels.");
  }
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.ForwardOrAllocate(0, {0}, x.dtype(), x.shape()));
  const T* in = x.data<T>();
  T* out = y->mutable_data<T>();
  constexpr int64_t kGrainPixels = 1 << 11;
  linalg::ParallelFor(x.num_elements() / kRgbChannels, kGrainPixels,
                      [&](int64_t begin, int64_t end) {
                        for (int64_t i = begin; i < end; ++i) {
                          const T pixel[] = {in[i * kRgbChannels], in[i * kRgbChannels + 1],
                                             in[i * kRgbChannels + 2]};
                          convert(pixel, out + i * kRgbChannels);
                        }
                      });
  return OkStatus();
}

Status ColorShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape x, c.WithRankAtLeast(0, 1));
  if (!x.unknown_rank()) {
    const int64_t channels = x.dim(x.rank() - 1);
    if (channels >= 0 && channels != kRgbChannels) {
      return InvalidArgument("Dimension must be 3 but is ", channels);
    }
    x.set_dim(x.rank() - 1, kRgbChannels);
  }
  c.set_output(0, std::move(x));
  return OkStatus();
}

RAMET_OP("RGBToHSV")
    .Input("images: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double} = float")
    .Doc(
        "Returns hue, saturation and value, in 0..1, of colors in RGB, whose channels are the last "
        "dimension. The output has the shape of the input. Error: the last dimension is not 3 "
        "(kFailedPrecondition).")
    .Shape(ColorShape)
    .Gradient(RgbToHsvGradient)
    .CpuKernels<RAMET_FLOATS>([]<class T>(KernelContext& c) {
      return ConvertColors<T>(c, RgbToHsv<T>);
    });

RAMET_OP("HSVToRGB")
    .Input("images: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double} = float")
    .Doc(
        "Returns the colors in RGB of hue, saturation and value, in 0..1, which are the last "
        "dimension. The output has the shape of the input. Error: the last dimension is not 3 "
        "(kFailedPrecondition).")
    .Shape(ColorShape)
    .NotDifferentiable()
    .CpuKernels<RAMET_FLOATS>([]<class T>(KernelContext& c) {
      return ConvertColors<T>(c, HsvToRgb<T>);
    });

}  // namespace
}  // namespace ramet
