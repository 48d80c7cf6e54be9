#include <algorithm>
#include <cmath>
#include <cstring>

#include "ramet/linalg/parallel.h"
#include "ramet/linalg/scratch.h"
#include "ramet/ops/image/resize.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"
#include "ramet/ops/math/wrapping.h"

// Resizing images to the nearest pixels.

namespace ramet {
namespace {

// Returns the element of an axis of size `in` that is nearest to element i of the result.
int64_t Nearest(const ResizeMode& mode, const ResizeAxis& axis, int64_t i) {
  const float x = static_cast<float>(static_cast<int>(i));
  const float at = (mode.half_pixel_centers ? x + 0.5f : x) * axis.scale;
  const float whole = mode.align_corners ? std::round(at) : std::floor(at);
  return std::clamp<int64_t>(static_cast<int64_t>(whole), 0, axis.in - 1);
}

// Returns the offset in a row of the image of each pixel of a row of the result.
const int64_t* NearestColumns(const ResizeMode& mode, const ResizeGeometry& g) {
  auto* offsets = static_cast<int64_t*>(linalg::Scratch(
      linalg::ScratchUse::kAxisTable, g.columns.out * static_cast<int64_t>(sizeof(int64_t))));
  for (int64_t i = 0; i < g.columns.out; ++i) {
    offsets[i] = Nearest(mode, g.columns, i) * g.channels;
  }
  return offsets;
}

template <class U>
void CopyPixels(const U* row, const int64_t* offsets, int64_t width, int64_t channels, U* out) {
  if (channels == 1) {
    for (int64_t x = 0; x < width; ++x) out[x] = row[offsets[x]];
    return;
  }
  for (int64_t x = 0; x < width; ++x, out += channels) {
    const U* pixel = row + offsets[x];
    for (int64_t k = 0; k < channels; ++k) out[k] = pixel[k];
  }
}

template <class U>
void CopyNearest(const ResizeMode& mode, const ResizeGeometry& g, const U* images, U* out) {
  const int64_t* offsets = NearestColumns(mode, g);
  constexpr int64_t kGrainElements = 1 << 14;
  linalg::ParallelFor(
      g.batch * g.rows.out, kGrainElements / g.out_row() + 1, [&](int64_t begin, int64_t end) {
        int64_t last = -1;
        for (int64_t row = begin; row < end; ++row) {
          const int64_t from =
              row / g.rows.out * g.rows.in + Nearest(mode, g.rows, row % g.rows.out);
          U* to = out + row * g.out_row();
          if (from == last) {
            std::memcpy(static_cast<void*>(to), to - g.out_row(), g.out_row() * sizeof(U));
          } else {
            CopyPixels(images + from * g.in_row(), offsets, g.columns.out, g.channels, to);
          }
          last = from;
        }
      });
}

class NearestKernel final : public KernelFromAttrs<NearestKernel> {
 public:
  explicit NearestKernel(const AttrMap& attrs) : mode_(attrs) {}
  Status Compute(KernelContext& c) override {
    const Tensor& images = c.input(0);
    RAMET_ASSIGN_OR_RETURN(const ResizeGeometry g, ResizeOf(mode_, images, c.input(1)));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, AllocateResized(c, images.dtype(), g));
    if (y->num_elements() == 0) return OkStatus();
    const auto copy = [&]<class U>(U) {
      CopyNearest(mode_, g, static_cast<const U*>(images.raw_data()),
                  static_cast<U*>(y->raw_data()));
    };
    switch (DTypeSize(images.dtype())) {
      case 1: copy(uint8_t{}); break;
      case 2: copy(uint16_t{}); break;
      case 4: copy(uint32_t{}); break;
      default: copy(uint64_t{});
    }
    return OkStatus();
  }

 private:
  const ResizeMode mode_;
};

template <class T>
using NearestKernelOf = NearestKernel;

template <class T>
void AddPixel(const T* grads, int64_t channels, T* out) {
  for (int64_t k = 0; k < channels; ++k) {
    if constexpr (std::is_integral_v<T> || std::is_same_v<T, double> || std::is_same_v<T, float>) {
      out[k] = WrappingAdd(out[k], grads[k]);
    } else {
      AddTo(ToFloat(grads[k]), &out[k]);
    }
  }
}

// \error kInvalidArgument: an input has a bad shape or size.
StatusOr<ResizeGeometry> NearestGradOf(const ResizeMode& mode, const Tensor& grads,
                                       const Tensor& size) {
  if (grads.rank() != 4) return InvalidArgument("input must be 4-dimensional", grads.shape());
  RAMET_ASSIGN_OR_RETURN(const auto in, HeightAndWidth(size, "shape_t"));
  if (in.first < 1 || in.second < 1) return InvalidArgument("shape_t's elements must be positive");
  if (std::max(grads.dim(1), grads.dim(2)) > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("input sizes must be between 0 and max int32");
  }
  ResizeGeometry g;
  g.batch = grads.dim(0);
  g.channels = grads.dim(3);
  g.rows = {in.first, grads.dim(1), mode.Scale(in.first, grads.dim(1))};
  g.columns = {in.second, grads.dim(2), mode.Scale(in.second, grads.dim(2))};
  return g;
}

template <class T>
void AddImage(const ResizeMode& mode, const ResizeGeometry& g, const int64_t* offsets,
              const T* grads, T* out) {
  for (int64_t y = 0; y < g.rows.out; ++y) {
    T* row = out + Nearest(mode, g.rows, y) * g.in_row();
    for (int64_t x = 0; x < g.columns.out; ++x, grads += g.channels) {
      AddPixel(grads, g.channels, row + offsets[x]);
    }
  }
}

template <class T>
class NearestGradKernel final : public KernelFromAttrs<NearestGradKernel<T>> {
 public:
  explicit NearestGradKernel(const AttrMap& attrs) : mode_(attrs) {}
  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const ResizeGeometry g, NearestGradOf(mode_, c.input(0), c.input(1)));
    return SpreadGradients<T, T>(
        c, g, [&] { return NearestColumns(mode_, g); },
        [&](const int64_t* offsets, const T* grads, T* dx) {
          AddImage(mode_, g, offsets, grads, dx);
        });
  }

 private:
  const ResizeMode mode_;
};

Status NearestGradient(GradientContext& c) {
  Output grad = c.grad();
  const Shape image = c.input(0).shape();
  const bool known = image.rank() == 4 && image.dim(1) >= 0 && image.dim(2) >= 0;
  const Input size = known ? Input(Tensor::Vector<int32_t>({static_cast<int32_t>(image.dim(1)),
                                                            static_cast<int32_t>(image.dim(2))}))
                           : Input(SliceOf(c, ShapeOf(c, c.input(0)), 1, 3));
  return c.Return({c.Add("ResizeNearestNeighborGrad", {grad, size},
                         AttrsNamed(c, {"align_corners", "half_pixel_centers"})),
                   Gradient()});
}

RAMET_OP("ResizeNearestNeighbor")
    .Input("images: T")
    .Input("size: int32")
    .Output("resized_images: T")
    .Attr("T: {" RAMET_RESIZE_TYPES ", half, float, double, bfloat16}")
    .Attr("align_corners: bool = false")
    .Attr("half_pixel_centers: bool = false")
    .Doc(
        "Returns images [batch, height, width, channels] resized to `size`, a vector of height and "
        "width. Each pixel is a copy of the nearest one. With align_corners, the centers of the "
        "corner pixels stay in place; with half_pixel_centers, the outer edges of the image do. "
        "Error: the images are not of rank 4 or have no pixels or channels; `size` does not have "
        "two positive elements; both attrs are set.")
    .HostMemory({"size"})
    .Shape(ResizeShape)
    .Gradient(NearestGradient)
    .CpuKernelClasses<NearestKernelOf, RAMET_IMAGE_NUMBERS>();

RAMET_OP("ResizeNearestNeighborGrad")
    .Input("grads: T")
    .Input("size: int32")
    .Output("output: T")
    .Attr("T: {uint8, int8, int32, half, float, double, bfloat16}")
    .Attr("align_corners: bool = false")
    .Attr("half_pixel_centers: bool = false")
    .Doc(
        "Returns the gradient of ResizeNearestNeighbor for its images: the sum of the gradients "
        "`grads` of the copies of each pixel. `size` is the height and width of the images. Error: "
        "`grads` is not of rank 4; `size` does not have two positive elements.")
    .HostMemory({"size"})
    .Shape(ResizeShape)
    .CpuKernelClasses<NearestGradKernel, RAMET_IMAGE_NUMBERS>();

}  // namespace
}  // namespace ramet
