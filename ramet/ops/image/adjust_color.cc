#include <algorithm>
#include <cmath>
#include <vector>

#include "ramet/linalg/parallel.h"
#include "ramet/op/op.h"
#include "ramet/ops/image/color.h"
#include "ramet/ops/math/types.h"

// Changes of contrast, hue and saturation.

namespace ramet {
namespace {

constexpr int64_t kGrainPixels = 1 << 11;

Status CheckImages(const Tensor& images) {
  if (images.rank() >= 3) return OkStatus();
  return InvalidArgument("input must be at least 3-D, got shape", images.shape());
}

Status CheckFactor(const Tensor& t, std::string_view name) {
  if (t.rank() == 0) return OkStatus();
  return InvalidArgument(name, " must be scalar: ", t.shape());
}

// Calls adjust(in, out) for each pixel of the images, input 0.
template <class Fn>
Status AdjustPixels(KernelContext& c, std::string_view argument, Fn adjust) {
  const Tensor& x = c.input(0);
  RAMET_RETURN_IF_ERROR(CheckImages(x));
  RAMET_RETURN_IF_ERROR(CheckFactor(c.input(1), argument));
  const int64_t channels = x.dim(x.rank() - 1);
  if (channels != kRgbChannels) {
    return InvalidArgument("input must have 3 channels but instead has ", channels, " channels.");
  }
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.ForwardOrAllocate(0, {0}, x.dtype(), x.shape()));
  const float* in = x.data<float>();
  float* out = y->mutable_data<float>();
  linalg::ParallelFor(x.num_elements() / kRgbChannels, kGrainPixels,
                      [&](int64_t begin, int64_t end) {
                        for (int64_t i = begin; i < end; ++i)
                          adjust(in + i * kRgbChannels, out + i * kRgbChannels);
                      });
  return OkStatus();
}

// A color as its hue in 0..6 and the least and greatest of its channels.
struct HueRange {
  float hue, low, high;
};

// The order of the channels of a color: which sixth of the circle it is in. The comparisons decide
// about NaN as in TensorFlow.
struct ChannelOrder {
  int sixth;
  float low, middle, high;
};

ChannelOrder OrderOf(float r, float g, float b) {
  if (r < g) {
    if (b < r) return {1, b, r, g};
    if (b > g) return {3, r, g, b};
    return {2, r, b, g};
  }
  if (b < g) return {0, b, g, r};
  if (b > r) return {4, g, r, b};
  return {5, g, b, r};
}

HueRange HueRangeOf(float r, float g, float b) {
  const ChannelOrder order = OrderOf(r, g, b);
  if (order.high == order.low) return {0, order.low, order.high};
  const float part = (order.middle - order.low) / (order.high - order.low);
  const float hue = static_cast<float>(order.sixth) + (order.sixth % 2 == 0 ? part : 1 - part);
  return {hue, order.low, order.high};
}

// Turns a hue of 0..6 into one in [0, 6).
float WrappedHue(float hue) {
  hue = std::fmod(hue, 6.0f);
  if (hue < 0) hue += 6;
  return hue >= 6 ? hue - 6 : hue;
}

void SetColor(const HueRange& h, float* rgb) {
  // Which channel is the greatest and which the least in each sixth of the circle.
  static constexpr int kHigh[] = {0, 1, 1, 2, 2, 0}, kLow[] = {2, 2, 0, 0, 1, 1};
  // A hue of NaN counts as one in the last sixth, and the channel between the others is NaN.
  const int sixth = h.hue >= 0 ? std::min(static_cast<int>(h.hue), 5) : 5;
  const float part = h.hue - static_cast<float>(sixth);
  const float ramp = sixth % 2 == 0 ? part : 1 - part;
  rgb[0] = rgb[1] = rgb[2] = h.low + ramp * (h.high - h.low);
  rgb[kHigh[sixth]] = h.high;
  rgb[kLow[sixth]] = h.low;
}

Status AdjustHueCompute(KernelContext& c) {
  const float delta = c.input(1).num_elements() > 0 ? *c.input(1).data<float>() * 6 : 0;
  return AdjustPixels(c, "delta", [&](const float* in, float* out) {
    HueRange h = HueRangeOf(in[0], in[1], in[2]);
    h.hue = WrappedHue(h.hue + delta);
    SetColor(h, out);
  });
}

// A color as hue, saturation and value, all in 0..1.
struct Hsv {
  float hue, saturation, value;
};

Hsv HsvOf(float r, float g, float b) {
  // With NaN, the result depends on the order of these comparisons, which is TensorFlow's.
  const float value = std::max(r, std::max(g, b)), range = value - std::min(r, std::min(g, b));
  Hsv hsv{0, value > 0 ? range / value : 0, value};
  if (range <= 0) return hsv;
  const float sixth = 1.0f / (6.0f * range);
  if (r == value) {
    hsv.hue = sixth * (g - b);
  } else if (g == value) {
    hsv.hue = static_cast<float>(sixth * (b - r) + 2.0 / 6.0);
  } else {
    hsv.hue = static_cast<float>(sixth * (r - g) + 4.0 / 6.0);
  }
  if (hsv.hue < 0) hsv.hue += 1;
  return hsv;
}

void SetHsv(const Hsv& hsv, float* rgb) {
  const float chroma = hsv.saturation * hsv.value, low = hsv.value - chroma;
  const float hue = hsv.hue * 6;
  rgb[0] = rgb[1] = rgb[2] = low;
  // Colors outside of the circle are gray.
  if (!(hue >= 0 && hue < 6)) return;
  const auto sixth = static_cast<int>(hue);
  const float x = chroma * (1 - std::abs(std::fmod(hue, 2.0f) - 1));
  static constexpr int kHigh[] = {0, 1, 1, 2, 2, 0}, kMiddle[] = {1, 0, 2, 1, 0, 2};
  rgb[kHigh[sixth]] = chroma + low;
  rgb[kMiddle[sixth]] = x + low;
}

Status AdjustSaturationCompute(KernelContext& c) {
  const float scale = c.input(1).num_elements() > 0 ? *c.input(1).data<float>() : 0;
  return AdjustPixels(c, "scale", [&](const float* in, float* out) {
    Hsv hsv = HsvOf(in[0], in[1], in[2]);
    hsv.saturation = std::min(1.0f, std::max(0.0f, hsv.saturation * scale));
    SetHsv(hsv, out);
  });
}

// The sizes of images whose contrast is changed.
struct ContrastSizes {
  explicit ContrastSizes(const Tensor& x)
      : channels(x.dim(x.rank() - 1)),
        pixels(x.dim(x.rank() - 3) * x.dim(x.rank() - 2)),
        batch(x.num_elements() == 0 ? 0 : x.num_elements() / (pixels * channels)) {}
  int64_t image() const { return pixels * channels; }

  int64_t channels, pixels, batch;
};

// Sets means[k] to the mean of channel k.
template <class T>
void ChannelMeans(const ContrastSizes& s, const T* image, std::span<float> means) {
  std::ranges::fill(means, 0.0f);
  constexpr int64_t kBlockPixels = 256;
  std::vector<float> block(means.size());
  for (int64_t begin = 0; begin < s.pixels; begin += kBlockPixels) {
    std::ranges::fill(block, 0.0f);
    const int64_t end = std::min(begin + kBlockPixels, s.pixels);
    for (const T* p = image + begin * s.channels; p < image + end * s.channels; p += s.channels) {
      for (int64_t k = 0; k < s.channels; ++k) block[k] += static_cast<float>(p[k]);
    }
    for (size_t k = 0; k < block.size(); ++k) means[k] += block[k];
  }
  for (float& mean : means) mean /= static_cast<float>(s.pixels);
}

// Moves the elements of each image away from the mean of their channel: out = finish(mean +
// (x - mean) * factor).
template <class T, class Fn>
void ChangeContrast(const ContrastSizes& s, const T* x, float factor, float* out, Fn finish) {
  linalg::ParallelFor(s.batch, 1, [&](int64_t begin, int64_t end) {
    std::vector<float> means(s.channels);
    for (int64_t n = begin; n < end; ++n) {
      const T* image = x + n * s.image();
      float* to = out + n * s.image();
      ChannelMeans(s, image, means);
      for (int64_t i = 0; i < s.image(); ++i) {
        const float mean = means[i % s.channels];
        to[i] = finish((static_cast<float>(image[i]) - mean) * factor + mean);
      }
    }
  });
}

Status AdjustContrastV2Compute(KernelContext& c) {
  const Tensor& x = c.input(0);
  RAMET_RETURN_IF_ERROR(CheckImages(x));
  RAMET_RETURN_IF_ERROR(CheckFactor(c.input(1), "contrast_factor"));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.ForwardOrAllocate(0, {0}, x.dtype(), x.shape()));
  if (y->num_elements() == 0) return OkStatus();
  ChangeContrast(ContrastSizes(x), x.data<float>(), *c.input(1).data<float>(),
                 y->mutable_data<float>(), [](float v) { return v; });
  return OkStatus();
}

template <class T>
Status AdjustContrastCompute(KernelContext& c) {
  const Tensor& x = c.input(0);
  RAMET_RETURN_IF_ERROR(CheckImages(x));
  RAMET_RETURN_IF_ERROR(CheckFactor(c.input(1), "contrast_factor"));
  RAMET_RETURN_IF_ERROR(CheckFactor(c.input(2), "min_value"));
  RAMET_RETURN_IF_ERROR(CheckFactor(c.input(3), "max_value"));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DType::kFloat, x.shape()));
  if (y->num_elements() == 0) return OkStatus();
  const float low = *c.input(2).data<float>(), high = *c.input(3).data<float>();
  ChangeContrast(ContrastSizes(x), x.data<T>(), *c.input(1).data<float>(), y->mutable_data<float>(),
                 [=](float v) { return std::max(std::min(v, high), low); });
  return OkStatus();
}

Status AtLeastImageShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape x, c.WithRankAtLeast(0, 3));
  c.set_output(0, std::move(x));
  return OkStatus();
}

RAMET_OP("AdjustContrastv2")
    .Input("images: T")
    .Input("contrast_factor: float")
    .Output("output: T")
    .Attr("T: {half, float} = float")
    .Doc(
        "Returns (x - mean) * contrast_factor + mean, where `mean` is the mean of each channel of "
        "each image. Images are [..., height, width, channels]. Error: the rank is less than 3; "
        "contrast_factor is not a scalar.")
    .Shape(AtLeastImageShape)
    .CpuKernel("T", DType::kFloat, AdjustContrastV2Compute);

RAMET_OP("AdjustContrast")
    .Input("images: T")
    .Input("contrast_factor: float")
    .Input("min_value: float")
    .Input("max_value: float")
    .Output("output: float")
    .Attr("T: {uint8, int8, int16, int32, int64, float, double}")
    .Doc(
        "Returns (x - mean) * contrast_factor + mean, limited to min_value..max_value, where "
        "`mean` is the mean of each channel of each image [..., height, width, channels]. Only "
        "graphs of version 1 may contain it. Error: the rank is less than 3; another input is not "
        "a scalar.")
    .Shape(AtLeastImageShape)
    .CpuKernels<uint8_t, int8_t, int16_t, int32_t, float, double>([]<class T>(KernelContext& c) {
      return AdjustContrastCompute<T>(c);
    });

RAMET_OP("AdjustHue")
    .Input("images: T")
    .Input("delta: float")
    .Output("output: T")
    .Attr("T: {half, float} = float")
    .Doc(
        "Returns the RGB colors of images [..., height, width, 3] with their hue turned by `delta` "
        "of a full turn. Error: the rank is less than 3; the last dimension is not 3; `delta` is "
        "not a scalar.")
    .Shape(AtLeastImageShape)
    .CpuKernel("T", DType::kFloat, AdjustHueCompute);

RAMET_OP("AdjustSaturation")
    .Input("images: T")
    .Input("scale: float")
    .Output("output: T")
    .Attr("T: {half, float} = float")
    .Doc(
        "Returns the RGB colors of images [..., height, width, 3] with their saturation multiplied "
        "by `scale` and limited to 0..1. Error: the rank is less than 3; the last dimension "
        "is not 3; `scale` is not a scalar.")
    .Shape(AtLeastImageShape)
    .CpuKernel("T", DType::kFloat, AdjustSaturationCompute);

}  // namespace
}  // namespace ramet
