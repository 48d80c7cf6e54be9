#include <algorithm>
#include <cmath>

#include "ramet/gradients/gradient_context.h"
#include "ramet/linalg/parallel.h"
#include "ramet/linalg/scratch.h"
#include "ramet/ops/image/resize.h"
#include "ramet/ops/math/types.h"

// Resizing images by linear interpolation along both axes.

namespace ramet {
namespace {

// The two elements of an axis that an element of the result lies between.
struct Between {
  int64_t lower, upper;
  float weight;  // of `upper`
};

Between BetweenAt(const ResizeMode& mode, const ResizeAxis& axis, int64_t i) {
  const float at = mode.Position(i, axis.scale), floor = std::floor(at);
  const int64_t upper = std::min<int64_t>(static_cast<int64_t>(std::ceil(at)), axis.in - 1);
  const int64_t lower = std::max<int64_t>(static_cast<int64_t>(floor), 0);
  return {std::min(lower, std::max<int64_t>(upper, 0)), std::max<int64_t>(upper, 0), at - floor};
}

// Returns, for each pixel of a row of the result, the offsets of its two pixels in a row.
const Between* BetweenColumns(const ResizeMode& mode, const ResizeGeometry& g) {
  auto* table = static_cast<Between*>(linalg::Scratch(
      linalg::ScratchUse::kAxisTable, g.columns.out * static_cast<int64_t>(sizeof(Between))));
  for (int64_t i = 0; i < g.columns.out; ++i) {
    const Between between = BetweenAt(mode, g.columns, i);
    table[i] = {between.lower * g.channels, between.upper * g.channels, between.weight};
  }
  return table;
}

// Interpolates along a row, computing in W. kChannels is the number of channels, or 0 if `channels`
// gives it.
template <int kChannels, class T, class W>
void WidenRow(const T* row, const Between* table, int64_t width, int64_t channels, W* out) {
  const int64_t depth = kChannels > 0 ? kChannels : channels;
  for (int64_t x = 0; x < width; ++x, out += depth) {
    const T *left = row + table[x].lower, *right = row + table[x].upper;
    for (int64_t k = 0; k < depth; ++k) {
      const W first = static_cast<W>(left[k]);
      out[k] = first + (static_cast<W>(right[k]) - first) * table[x].weight;
    }
  }
}

// The rows of the image between which one row of the result lies, interpolated along the rows.
// Keeps two of them, because neighboring rows of the result often lie between the same rows.
template <class T, class W>
class WidenedRows {
 public:
  WidenedRows(const ResizeGeometry& g, const Between* table, const T* images)
      : g_(g), table_(table), images_(images) {
    auto* room = static_cast<W*>(linalg::Scratch(
        linalg::ScratchUse::kResizedRows, 2 * g.out_row() * static_cast<int64_t>(sizeof(W))));
    rows_[0] = room;
    rows_[1] = room + g.out_row();
  }

  // Sets a row of the result from the rows `lower` and `upper` of all images.
  void Interpolate(int64_t lower, int64_t upper, float weight, W* out) {
    const int first = Find(lower, upper), second = upper == lower ? first : Find(upper, lower);
    const W *top = rows_[first], *bottom = rows_[second];
    for (int64_t i = 0; i < g_.out_row(); ++i) out[i] = top[i] + (bottom[i] - top[i]) * weight;
  }

 private:
  // Returns the buffer of `row`, without overwriting that of `other`.
  int Find(int64_t row, int64_t other) {
    for (int i : {0, 1}) {
      if (held_[i] == row) return i;
    }
    const int i = held_[0] == other ? 1 : 0;
    held_[i] = row;
    Widen(images_ + row * g_.in_row(), rows_[i]);
    return i;
  }
  void Widen(const T* row, W* out) const {
    switch (g_.channels) {
      case 1: return WidenRow<1>(row, table_, g_.columns.out, 1, out);
      case 3: return WidenRow<3>(row, table_, g_.columns.out, 3, out);
      case 4: return WidenRow<4>(row, table_, g_.columns.out, 4, out);
      default: return WidenRow<0>(row, table_, g_.columns.out, g_.channels, out);
    }
  }

  const ResizeGeometry& g_;
  const Between* const table_;
  const T* const images_;
  W* rows_[2];
  int64_t held_[2] = {-1, -1};
};

constexpr int64_t kGrainLerps = 1 << 13;

template <class T, class W>
void Interpolate(const ResizeMode& mode, const ResizeGeometry& g, const T* images, W* out) {
  const Between* table = BetweenColumns(mode, g);
  linalg::ParallelFor(
      g.batch * g.rows.out, kGrainLerps / g.out_row() + 1, [&](int64_t begin, int64_t end) {
        WidenedRows<T, W> rows(g, table, images);
        for (int64_t row = begin; row < end; ++row) {
          const Between y = BetweenAt(mode, g.rows, row % g.rows.out);
          const int64_t image = row / g.rows.out * g.rows.in;
          rows.Interpolate(image + y.lower, image + y.upper, y.weight, out + row * g.out_row());
        }
      });
}

template <class T, class W>
void Resize(const ResizeMode& mode, const ResizeGeometry& g, const Tensor& images, W* out) {
  if (g.rows.in == g.rows.out && g.columns.in == g.columns.out) {
    std::ranges::transform(images.flat<T>(), out, [](T x) { return static_cast<W>(x); });
  } else {
    Interpolate(mode, g, images.data<T>(), out);
  }
}

template <class T>
class BilinearKernel final : public KernelFromAttrs<BilinearKernel<T>> {
 public:
  explicit BilinearKernel(const AttrMap& attrs) : mode_(attrs) {}
  Status Compute(KernelContext& c) override {
    const Tensor& images = c.input(0);
    RAMET_ASSIGN_OR_RETURN(const ResizeGeometry g, ResizeOf(mode_, images, c.input(1)));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, AllocateResized(c, DType::kFloat, g));
    if (y->num_elements() == 0) return OkStatus();
    Resize<T>(mode_, g, images, y->mutable_data<float>());
    return OkStatus();
  }

 private:
  const ResizeMode mode_;
};

// Adds the gradients of a row of the result to the two rows of the image that it lies between.
template <class S>
void SpreadRow(const ResizeGeometry& g, const Between* table, float weight, const float* grads,
               S* top, S* bottom) {
  for (int64_t x = 0; x < g.columns.out; ++x, grads += g.channels) {
    const Between& at = table[x];
    const float left = 1 - at.weight, upper = 1 - weight;
    for (int64_t k = 0; k < g.channels; ++k) {
      top[at.lower + k] += grads[k] * upper * left;
      top[at.upper + k] += grads[k] * upper * at.weight;
      bottom[at.lower + k] += grads[k] * weight * left;
      bottom[at.upper + k] += grads[k] * weight * at.weight;
    }
  }
}

// Adds the gradients of one result to those of its image.
template <class S>
void SpreadImage(const ResizeMode& mode, const ResizeGeometry& g, const Between* table,
                 const float* grads, S* out) {
  for (int64_t y = 0; y < g.rows.out; ++y) {
    const Between at = BetweenAt(mode, g.rows, y);
    SpreadRow(g, table, at.weight, grads + y * g.out_row(), out + at.lower * g.in_row(),
              out + at.upper * g.in_row());
  }
}

// Sums of short floats are made in float.
template <class T>
class BilinearGradKernel final : public KernelFromAttrs<BilinearGradKernel<T>> {
 public:
  explicit BilinearGradKernel(const AttrMap& attrs) : mode_(attrs) {}
  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const ResizeGeometry g, ResizeGradOf(mode_, c.input(0), c.input(1)));
    RAMET_ASSIGN_OR_RETURN(Tensor * dx, AllocateOriginal(c, DTypeOf<T>::value, g));
    if (dx->num_elements() == 0) return OkStatus();
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
      Spread<T>(g, c.input(0), *dx);
    } else {
      RAMET_ASSIGN_OR_RETURN(Tensor sums, c.AllocateTemp(DType::kFloat, dx->shape()));
      Spread<float>(g, c.input(0), sums);
      std::ranges::transform(sums.flat<float>(), dx->mutable_data<T>(),
                             [](float sum) { return static_cast<T>(sum); });
    }
    return OkStatus();
  }

 private:
  template <class S>
  void Spread(const ResizeGeometry& g, const Tensor& grads, Tensor& sums) const {
    SpreadImages<float, S>(
        g, grads, sums, [&] { return BetweenColumns(mode_, g); },
        [&](const Between* table, const float* from, S* to) {
          SpreadImage(mode_, g, table, from, to);
        });
  }

  const ResizeMode mode_;
};

Status BilinearGradient(GradientContext& c) {
  const Output grad = c.grad();
  return c.Return({c.Add("ResizeBilinearGrad", {grad, c.input(0)},
                         AttrsNamed(c, {"align_corners", "half_pixel_centers"})),
                   Gradient()});
}

RAMET_OP("ResizeBilinear")
    .Input("images: T")
    .Input("size: int32")
    .Output("resized_images: float")
    .Attr("T: {" RAMET_RESIZE_TYPES ", bfloat16, half, float, double}")
    .Attr("align_corners: bool = false")
    .Attr("half_pixel_centers: bool = false")
    .Doc(
        "Returns images [batch, height, width, channels] resized to `size`, a vector of height and "
        "width, by linear interpolation along both axes. With align_corners, the centers of the "
        "corner pixels stay in place; with half_pixel_centers, the outer edges of the image do. "
        "Error: the images are not of rank 4 or have no pixels or channels; `size` does not have "
        "two positive elements; both attrs are set.")
    .HostMemory({"size"})
    .Shape(ResizeShape)
    .Gradient(BilinearGradient)
    .CpuKernelClasses<BilinearKernel, RAMET_IMAGE_NUMBERS>();

RAMET_OP("ResizeBilinearGrad")
    .Input("grads: float")
    .Input("original_image: T")
    .Output("output: T")
    .Attr("T: {float, bfloat16, half, double}")
    .Attr("align_corners: bool = false")
    .Attr("half_pixel_centers: bool = false")
    .Doc(
        "Returns the gradient of ResizeBilinear for its images, of which original_image gives the "
        "height and width, from the gradients `grads` of its result. Error: an input is not of "
        "rank 4 or has no pixels; both attrs are set.")
    .Shape(ResizeGradShape)
    .NotDifferentiable()
    .CpuKernelClasses<BilinearGradKernel, RAMET_FLOATS>();

}  // namespace

void InterpolateImages(const ResizeMode& mode, const ResizeGeometry& g, const Tensor& images,
                       Tensor& resized) {
  switch (images.dtype()) {
    case DType::kHalf: return Resize<Half>(mode, g, images, resized.mutable_data<float>());
    case DType::kFloat: return Resize<float>(mode, g, images, resized.mutable_data<float>());
    default: return Resize<double>(mode, g, images, resized.mutable_data<double>());
  }
}

}  // namespace ramet
