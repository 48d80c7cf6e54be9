#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ramet/op/op.h"
#include "ramet/ops/image/png.h"
#include "ramet/ops/logging/summary_op.h"
#include "ramet/ops/logging/summary_proto.h"

namespace ramet {
namespace {

template <class T>
bool IsFinite(T x) {
  return std::isfinite(NumberAs<double>(x));
}

template <class T>
bool IsFinitePixel(const T* pixel, int channels) {
  return std::all_of(pixel, pixel + channels, IsFinite<T>);
}

// Returns x rounded to the precision of T, as TensorFlow rounds after each step of arithmetic on T.
template <class T>
auto Rounded(NumberTypeOf<T> x) {
  return NumberAs<NumberTypeOf<T>>(T(x));
}

// Maps the numbers of one image to bytes.
template <class T>
struct Scaling {
  using N = NumberTypeOf<T>;
  N scale = 0;
  N offset = 0;

  // Computes the scaling from the finite pixels, in floats. If a number is negative, zero becomes
  // 128 and the number of largest magnitude is 127 away from it. Otherwise the largest number
  // becomes 255.
  static Scaling Of(std::span<const T> image, int channels) {
    float low = std::numeric_limits<float>::infinity(), high = -low;
    for (size_t i = 0; i < image.size(); i += channels) {
      if (!IsFinitePixel(&image[i], channels)) continue;
      for (int k = 0; k < channels; ++k) {
        low = std::min(low, NumberAs<float>(image[i + k]));
        high = std::max(high, NumberAs<float>(image[i + k]));
      }
    }
    const bool centered = low < 0;
    const float largest = centered ? std::max(std::abs(low), std::abs(high)) : high;
    Scaling scaling;
    if (largest >= 1e-6f) scaling.scale = Rounded<T>(N{(centered ? 127.0f : 255.0f) / largest});
    if (centered) scaling.offset = 128;
    return scaling;
  }

  uint8_t operator()(T x) const {
    const N y = Rounded<T>(Rounded<T>(NumberAs<N>(x) * scale) + offset);
    return static_cast<uint8_t>(static_cast<int>(y));
  }
};

struct ImageShape {
  int64_t batch, height, width;
  int channels;
  size_t bytes() const { return static_cast<size_t>(height * width * channels); }
};

Status CheckInputs(const Tensor& tag, const Tensor& t) {
  if (tag.rank() != 0) return InvalidArgument("Tags must be a scalar");
  const int64_t depth = t.rank() == 4 ? t.dim(3) : 0;
  if (depth != 1 && depth != 3 && depth != 4) {
    return InvalidArgument("Tensor must be 4-D with last dim 1, 3, or 4, not ", t.shape());
  }
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  if (t.dim(1) > kMax / 4 || t.dim(2) > kMax / 4) {
    return InvalidArgument("Tensor too large for summary ", t.shape());
  }
  if (t.dim(0) > 0 && t.num_elements() == 0) {
    return InvalidArgument("input tensor must have non-zero dims. Found: [",
                           StrJoin(t.shape().dims(), ", "), "].");
  }
  return OkStatus();
}

StatusOr<std::vector<uint8_t>> BadColor(const AttrMap& attrs) {
  RAMET_ASSIGN_OR_RETURN(const Tensor color, attrs.Get<Tensor>("bad_color"));
  if (color.dtype() != DType::kUInt8) {
    return InvalidArgument("bad_color must be uint8, got ", DTypeName(color.dtype()));
  }
  if (color.rank() != 1) {
    return InvalidArgument("bad_color must be a vector, got shape ", color.shape());
  }
  const auto bytes = color.flat<uint8_t>();
  return std::vector<uint8_t>(bytes.begin(), bytes.end());
}

template <class T>
class ImageSummaryKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(auto color, BadColor(*node.attrs));
    const int64_t max_images = node.attrs->GetOr("max_images", int64_t{3});
    return std::unique_ptr<Kernel>(new ImageSummaryKernel(max_images, std::move(color)));
  }

  Status Compute(KernelContext& c) override {
    const Tensor& images = c.input(1);
    RAMET_RETURN_IF_ERROR(CheckInputs(c.input(0), images));
    const ImageShape shape{images.dim(0), images.dim(1), images.dim(2),
                           static_cast<int>(images.dim(3))};
    RAMET_RETURN_IF_ERROR(CheckBadColor(shape.channels));
    const std::string& tag = c.input(0).scalar<std::string>();
    std::string summary;
    for (int64_t i = 0; i < std::min(max_images_, shape.batch); ++i) {
      const auto image = images.flat<T>().subspan(i * shape.bytes(), shape.bytes());
      RAMET_ASSIGN_OR_RETURN(const std::string message, ImageMessage(image, shape));
      AppendValue(&summary, TaggedValue(IndexedTag(tag, "image", max_images_, i),
                                        SummaryField::kImage, message));
    }
    return SetSummary(c, std::move(summary));
  }

 private:
  static constexpr bool kBytes = std::is_same_v<T, uint8_t>;

  ImageSummaryKernel(int64_t max_images, std::vector<uint8_t> bad_color)
      : max_images_(max_images), bad_color_(std::move(bad_color)) {}

  Status CheckBadColor(int channels) const {
    if (kBytes || channels <= std::ssize(bad_color_)) return OkStatus();
    return InvalidArgument("expected depth <= bad_color.size, got depth = ", channels,
                           ", bad_color.size = ", bad_color_.size());
  }

  StatusOr<std::string> ImageMessage(std::span<const T> image, const ImageShape& shape) const {
    std::string message;
    AppendNonZero(&message, 1, static_cast<uint64_t>(shape.height));
    AppendNonZero(&message, 2, static_cast<uint64_t>(shape.width));
    AppendNonZero(&message, 3, static_cast<uint64_t>(shape.channels));
    RAMET_ASSIGN_OR_RETURN(const std::string png, Encode(image, shape));
    AppendBytesField(&message, 4, png);
    return message;
  }

  StatusOr<std::string> Encode(std::span<const T> image, const ImageShape& shape) const {
    if constexpr (kBytes) {
      return EncodePng({image.data(), shape.height, shape.width, shape.channels});
    } else {
      const auto pixels = Pixels(image, shape.channels);
      return EncodePng({pixels.data(), shape.height, shape.width, shape.channels});
    }
  }

  std::vector<uint8_t> Pixels(std::span<const T> image, int channels) const {
    const auto scaling = Scaling<T>::Of(image, channels);
    std::vector<uint8_t> pixels(image.size());
    for (size_t i = 0; i < image.size(); i += channels) {
      const bool finite = IsFinitePixel(&image[i], channels);
      for (int k = 0; k < channels; ++k) {
        pixels[i + k] = finite ? scaling(image[i + k]) : bad_color_[k];
      }
    }
    return pixels;
  }

  const int64_t max_images_;
  const std::vector<uint8_t> bad_color_;
};

}  // namespace

RAMET_OP("ImageSummary")
    .Input("tag: string")
    .Input("tensor: T")
    .Output("summary: string")
    .Attr("max_images: int >= 1 = 3")
    .Attr("T: {uint8, float, half, double} = float")
    .Attr("bad_color: tensor = uint8[255, 0, 0, 255]")
    .Doc(
        "Returns a serialized Summary with the first max_images images of [batch, height, width, "
        "channels] as PNG files. The tags are 'TAG/image/0', 'TAG/image/1', ..., or 'TAG/image' if "
        "max_images is 1. There must be 1, 3 or 4 channels. Bytes are stored unchanged. Other "
        "numbers are scaled per image: to 0..255, or around 128 if one is negative; a pixel that "
        "is not finite becomes bad_color. Error: the tag is not a scalar; the tensor has a "
        "different shape or a dimension of size 0; bad_color has too few channels.")
    .HostMemory({"tag", "tensor", "summary"})
    .Shape(ScalarShape)
    .NotDifferentiable()
    .CpuKernelClasses<ImageSummaryKernel, uint8_t, float, Half, double>();

}  // namespace ramet
