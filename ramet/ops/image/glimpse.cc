#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "ramet/ops/image/resize.h"
#include "ramet/ops/math/types.h"
#include "ramet/ops/random/random_state.h"

// Glimpses: windows of images that may reach beyond the edges.

namespace ramet {
namespace {

enum class GlimpseNoise { kUniform, kGaussian, kZero };

struct GlimpseMode {
  static StatusOr<GlimpseMode> Of(const AttrMap& attrs) {
    GlimpseMode mode{attrs.GetOr("centered", true), attrs.GetOr("normalized", true)};
    const std::string noise = attrs.GetOr<std::string>("noise", "uniform");
    const bool uniform = attrs.GetOr("uniform_noise", true);
    if (uniform && !noise.empty() && noise != "uniform") {
      return InvalidArgument("The uniform_noise should not be True when noise is not uniform");
    }
    if (noise == "gaussian") {
      mode.noise = GlimpseNoise::kGaussian;
    } else if (noise == "zero") {
      mode.noise = GlimpseNoise::kZero;
    } else if (noise != "uniform" && !uniform) {
      return InvalidArgument("The noise could only be uniform, gaussian, or zero, got", noise);
    }
    return mode;
  }

  bool centered, normalized;
  GlimpseNoise noise = GlimpseNoise::kUniform;
};

// Returns the first pixel of a window along one axis. kVersion is that of the op.
template <int kVersion>
int64_t WindowBegin(const GlimpseMode& mode, float offset, int64_t image, int64_t window) {
  const auto size = static_cast<float>(image), half = static_cast<float>(window) / 2.0f;
  float at = mode.normalized ? offset * size : offset;
  if (kVersion == 1) {
    if (mode.centered) at = at / 2.0f + size / 2.0f;
    at -= half;
  } else if (mode.centered) {
    at = mode.normalized ? at / 2.0f + size / 2.0f - half : at + size / 2.0f;
  }
  constexpr float kFar = 1e15f;
  return std::abs(at) < kFar ? static_cast<int64_t>(at) : std::numeric_limits<int64_t>::max() / 4;
}

struct GlimpseSizes {
  int64_t height, width, depth, out_height, out_width;
  int64_t image() const { return height * width * depth; }
  int64_t glimpse() const { return out_height * out_width * depth; }
};

// Fills the pixels of glimpses that are outside the image.
class NoiseSource {
 public:
  NoiseSource(GlimpseNoise kind, const linalg::Philox& generator)
      : kind_(kind), generator_(generator) {}

  void Fill(const GlimpseSizes& s, const Tensor& images, const float* image, float* out) {
    switch (kind_) {
      case GlimpseNoise::kZero: std::fill_n(out, s.glimpse(), 0.0f); break;
      case GlimpseNoise::kUniform: FillUniform(s, images, out); break;
      case GlimpseNoise::kGaussian: FillGaussian(s, image, out); break;
    }
  }

 private:
  // Numbers between the least and the greatest of all images.
  void FillUniform(const GlimpseSizes& s, const Tensor& images, float* out) {
    const auto [low, high] = std::ranges::minmax(images.flat<float>());
    linalg::FillUniform(linalg::Type::kFloat, Take(s.glimpse()), out, s.glimpse());
    for (int64_t i = 0; i < s.glimpse(); ++i) out[i] = low + out[i] * (high - low);
  }
  // Numbers with the mean and standard deviation of each channel of the image. The channels of a
  // pixel are equally far from their means.
  void FillGaussian(const GlimpseSizes& s, const float* image, float* out) {
    const int64_t pixels = s.out_height * s.out_width;
    std::vector<float> normal(pixels);
    linalg::FillNormal(linalg::Type::kFloat, Take(pixels), normal.data(), pixels);
    const int64_t n = s.height * s.width;
    for (int64_t k = 0; k < s.depth; ++k) {
      double sum = 0, squares = 0;
      for (int64_t i = 0; i < n; ++i) sum += image[i * s.depth + k];
      const double mean = sum / static_cast<double>(n);
      for (int64_t i = 0; i < n; ++i) squares += std::pow(image[i * s.depth + k] - mean, 2);
      const double sigma = std::sqrt(squares / static_cast<double>(n));
      for (int64_t i = 0; i < pixels; ++i) {
        out[i * s.depth + k] = static_cast<float>(mean + sigma * normal[i]);
      }
    }
  }
  linalg::Philox Take(int64_t count) {
    const linalg::Philox taken = generator_;
    generator_.Skip(static_cast<uint64_t>(count));
    return taken;
  }

  const GlimpseNoise kind_;
  linalg::Philox generator_;
};

// Copies the part of the window at (top, left) that is inside the image.
void CopyWindow(const GlimpseSizes& s, const float* image, int64_t top, int64_t left, float* out) {
  const int64_t begin = std::max<int64_t>(left, 0), end = std::min(left + s.out_width, s.width);
  if (begin >= end) return;
  const int64_t first = std::max<int64_t>(top, 0), last = std::min(top + s.out_height, s.height);
  for (int64_t y = first; y < last; ++y) {
    std::memcpy(out + ((y - top) * s.out_width + begin - left) * s.depth,
                image + (y * s.width + begin) * s.depth, (end - begin) * s.depth * sizeof(float));
  }
}

StatusOr<GlimpseSizes> ReadGlimpseSizes(const KernelContext& c) {
  const Tensor &images = c.input(0), &size = c.input(1), &offsets = c.input(2);
  if (images.rank() != 4) {
    return InvalidArgument("input must be 4-dimensional (batch_size, height, width, depth)",
                           images.shape());
  }
  if (size.rank() != 1 || size.dim(0) != 2) {
    return InvalidArgument("input must be a vector of size 2 (height, width)", size.shape());
  }
  if (offsets.rank() != 2) return InvalidArgument("input must be a matrix", offsets.shape());
  if (offsets.dim(0) != images.dim(0)) {
    return InvalidArgument("first dimension should be batch", offsets.shape());
  }
  if (offsets.dim(1) != 2) {
    return InvalidArgument("second dimension should be of size 2 (y,x)", offsets.shape());
  }
  for (const int32_t side : size.flat<int32_t>()) {
    if (side < 0) return InvalidArgument("Expected a non-negative size, got ", side);
  }
  return GlimpseSizes{images.dim(1), images.dim(2), images.dim(3), size.data<int32_t>()[0],
                      size.data<int32_t>()[1]};
}

template <int kVersion>
class GlimpseKernel final : public Kernel {
 public:
  explicit GlimpseKernel(const GlimpseMode& mode) : mode_(mode), random_(AttrMap()) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    RAMET_ASSIGN_OR_RETURN(const GlimpseMode mode, GlimpseMode::Of(*node.attrs));
    return std::unique_ptr<Kernel>(std::make_unique<GlimpseKernel>(mode));
  }

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const GlimpseSizes s, ReadGlimpseSizes(c));
    const Tensor& images = c.input(0);
    const Shape shape{images.dim(0), s.out_height, s.out_width, s.depth};
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, kFloat, shape));
    if (y->num_elements() == 0) return OkStatus();
    if (images.num_elements() == 0) {
      std::ranges::fill(y->mutable_flat<float>(), 0.0f);
      return OkStatus();
    }
    NoiseSource noise(mode_.noise, random_.Reserve(y->num_elements()));
    for (int64_t n = 0; n < images.dim(0); ++n) {
      const float *image = images.data<float>() + n * s.image(),
                  *offset = c.input(2).data<float>() + 2 * n;
      float* out = y->mutable_data<float>() + n * s.glimpse();
      const int64_t top = WindowBegin<kVersion>(mode_, offset[0], s.height, s.out_height);
      const int64_t left = WindowBegin<kVersion>(mode_, offset[1], s.width, s.out_width);
      const bool inside =
          top >= 0 && left >= 0 && top + s.out_height <= s.height && left + s.out_width <= s.width;
      if (!inside) noise.Fill(s, images, image, out);
      CopyWindow(s, image, top, left, out);
    }
    return OkStatus();
  }

 private:
  const GlimpseMode mode_;
  RandomState random_;
};

Status GlimpseShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(GlimpseMode::Of(c.attrs()).status());
  RAMET_ASSIGN_OR_RETURN(const Shape images, c.WithRank(0, 4));
  RAMET_ASSIGN_OR_RETURN(const Shape offsets, c.WithRank(2, 2));
  RAMET_ASSIGN_OR_RETURN(const Shape batch, Shape{images.dim(0)}.MergeWith(Shape{offsets.dim(0)}));
  if (offsets.dim(1) >= 0 && offsets.dim(1) != 2) {
    return InvalidArgument("Dimension must be 2 but is ", offsets.dim(1));
  }
  RAMET_ASSIGN_OR_RETURN(Shape size, c.constant_as_shape(1));
  RAMET_ASSIGN_OR_RETURN(size, size.MergeWith(Shape::OfRank(2)));
  c.set_output(0, Shape{batch.dim(0), size.dim(0), size.dim(1), images.dim(3)});
  return OkStatus();
}

RAMET_OP("ExtractGlimpse")
    .Input("input: float")
    .Input("size: int32")
    .Input("offsets: float")
    .Output("glimpse: float")
    .Attr("centered: bool = true")
    .Attr("normalized: bool = true")
    .Attr("uniform_noise: bool = true")
    .Attr("noise: string = 'uniform'")
    .Doc(
        "Returns a window of size `size` (height, width) of each image of `input` [batch, height, "
        "width, channels]. offsets [batch, 2] are the centers of the windows (y, x): in 0..1 if "
        "normalized, or in pixels; from the center of the image, in half its size, if centered, or "
        "from the top left. Pixels outside the image are noise: 'uniform', 'gaussian' or 'zero'. "
        "Error: a shape does not match this; `noise` is different.")
    .HostMemory({"size", "offsets"})
    .Shape(GlimpseShape)
    .NotDifferentiable()
    .CpuKernelClass<GlimpseKernel<1>>();

RAMET_OP("ExtractGlimpseV2")
    .Input("input: float")
    .Input("size: int32")
    .Input("offsets: float")
    .Output("glimpse: float")
    .Attr("centered: bool = true")
    .Attr("normalized: bool = true")
    .Attr("uniform_noise: bool = true")
    .Attr("noise: string = 'uniform'")
    .Doc(
        "Returns windows as ExtractGlimpse does, but offsets [batch, 2] are the top left corners "
        "of the windows unless they are both normalized and centered. Offsets that are centered "
        "but not normalized are in pixels. Error: those of ExtractGlimpse.")
    .HostMemory({"size", "offsets"})
    .Shape(GlimpseShape)
    .CpuKernelClass<GlimpseKernel<2>>();

}  // namespace
}  // namespace ramet
