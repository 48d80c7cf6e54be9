#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ramet/gradients/gradient_context.h"
#include "ramet/linalg/parallel.h"
#include "ramet/linalg/scratch.h"
#include "ramet/ops/image/resize.h"
#include "ramet/ops/math/types.h"

// Resizing images by cubic interpolation along both axes.

namespace ramet {
namespace {

// The weights of the four neighbors of a position, at 1/1024 steps between two pixels, as in
// TensorFlow. `a` is the slope of the cubic at a distance of 1.
class CubicTable {
 public:
  explicit CubicTable(double a) {
    for (int i = 0; i <= kSteps; ++i) {
      float x = static_cast<float>(i * 1.0 / kSteps);
      near_[i] = static_cast<float>(((a + 2) * x - (a + 3)) * x * x + 1);
      x += 1.0f;
      far_[i] = static_cast<float>(((a * x - 5 * a) * x + 8 * a) * x - 4 * a);
    }
  }
  std::array<float, 4> Weights(float between) const {
    const auto i = static_cast<int>(std::lrintf(between * kSteps));
    return {far_[i], near_[i], near_[kSteps - i], far_[kSteps - i]};
  }
  static const CubicTable& Of(const ResizeMode& mode) {
    static const auto* const legacy = new CubicTable(-0.75);
    static const auto* const keys = new CubicTable(-0.5);
    return mode.half_pixel_centers ? *keys : *legacy;
  }

 private:
  static constexpr int kSteps = 1024;
  float near_[kSteps + 1], far_[kSteps + 1];
};

// The four elements of an axis that an element of the result is made of.
struct Four {
  std::array<int64_t, 4> index;
  std::array<float, 4> weight;
};

// With half_pixel_centers, positions outside the image have no weight and the others sum to 1.
// Without, they stand for the pixel at the edge.
Four FourAt(const ResizeMode& mode, const ResizeAxis& axis, int64_t i) {
  const float at = mode.Position(i, axis.scale);
  const auto floor = static_cast<int64_t>(std::floor(at));
  Four four;
  four.weight = CubicTable::Of(mode).Weights(at - static_cast<float>(floor));
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
    const int64_t wanted = floor - 1 + k;
    four.index[k] = std::clamp<int64_t>(wanted, 0, axis.in - 1);
    if (mode.half_pixel_centers && four.index[k] != wanted) four.weight[k] = 0;
    sum += four.weight[k];
  }
  if (!mode.half_pixel_centers) return four;
  if (std::abs(sum) >= 1000.0f * std::numeric_limits<float>::min()) {
    for (float& weight : four.weight) weight *= 1.0f / sum;
  }
  return four;
}

const Four* FourColumns(const ResizeMode& mode, const ResizeGeometry& g) {
  auto* table = static_cast<Four*>(linalg::Scratch(
      linalg::ScratchUse::kAxisTable, g.columns.out * static_cast<int64_t>(sizeof(Four))));
  for (int64_t i = 0; i < g.columns.out; ++i) {
    table[i] = FourAt(mode, g.columns, i);
    for (int64_t& index : table[i].index) index *= g.channels;
  }
  return table;
}

// Interpolates between four rows of an image.
template <class T>
void MixRows(const ResizeGeometry& g, const Four& y, const T* image, float* out) {
  const T* rows[4];
  for (int k = 0; k < 4; ++k) rows[k] = image + y.index[k] * g.in_row();
  for (int64_t i = 0; i < g.in_row(); ++i) {
    out[i] = ToFloat(rows[0][i]) * y.weight[0] + ToFloat(rows[1][i]) * y.weight[1] +
             ToFloat(rows[2][i]) * y.weight[2] + ToFloat(rows[3][i]) * y.weight[3];
  }
}

void MixColumns(const ResizeGeometry& g, const Four* table, const float* row, float* out) {
  for (int64_t x = 0; x < g.columns.out; ++x, out += g.channels) {
    const Four& at = table[x];
    for (int64_t k = 0; k < g.channels; ++k) {
      out[k] = row[at.index[0] + k] * at.weight[0] + row[at.index[1] + k] * at.weight[1] +
               row[at.index[2] + k] * at.weight[2] + row[at.index[3] + k] * at.weight[3];
    }
  }
}

float* RowOfImage(const ResizeGeometry& g) {
  return static_cast<float*>(linalg::Scratch(linalg::ScratchUse::kResizedRows,
                                             g.in_row() * static_cast<int64_t>(sizeof(float))));
}

constexpr int64_t kGrainCubics = 1 << 12;

template <class T>
class BicubicKernel final : public KernelFromAttrs<BicubicKernel<T>> {
 public:
  explicit BicubicKernel(const AttrMap& attrs) : mode_(attrs) {}
  Status Compute(KernelContext& c) override {
    const Tensor& images = c.input(0);
    RAMET_ASSIGN_OR_RETURN(const ResizeGeometry g, ResizeOf(mode_, images, c.input(1)));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, AllocateResized(c, DType::kFloat, g));
    if (y->num_elements() == 0) return OkStatus();
    const Four* table = FourColumns(mode_, g);
    linalg::ParallelFor(
        g.batch * g.rows.out, kGrainCubics / g.out_row() + 1, [&](int64_t begin, int64_t end) {
          float* mixed = RowOfImage(g);
          for (int64_t row = begin; row < end; ++row) {
            const T* image = images.data<T>() + row / g.rows.out * g.in_image();
            MixRows(g, FourAt(mode_, g.rows, row % g.rows.out), image, mixed);
            MixColumns(g, table, mixed, y->mutable_data<float>() + row * g.out_row());
          }
        });
    return OkStatus();
  }

 private:
  const ResizeMode mode_;
};

template <class T>
void SpreadPixel(const ResizeGeometry& g, const Four& y, const Four& x, const float* grads,
                 T* image) {
  for (int i = 0; i < 4; ++i) {
    T* row = image + y.index[i] * g.in_row();
    for (int j = 0; j < 4; ++j) {
      for (int64_t k = 0; k < g.channels; ++k) {
        row[x.index[j] + k] += static_cast<T>(grads[k]) * y.weight[i] * x.weight[j];
      }
    }
  }
}

template <class T>
class BicubicGradKernel final : public KernelFromAttrs<BicubicGradKernel<T>> {
 public:
  explicit BicubicGradKernel(const AttrMap& attrs) : mode_(attrs) {}
  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const ResizeGeometry g, ResizeGradOf(mode_, c.input(0), c.input(1)));
    return SpreadGradients<float, T>(
        c, g, [&] { return FourColumns(mode_, g); },
        [&](const Four* table, const float* grads, T* dx) { Spread(g, table, grads, dx); });
  }

 private:
  void Spread(const ResizeGeometry& g, const Four* table, const float* grads, T* out) const {
    for (int64_t y = 0; y < g.rows.out; ++y) {
      const Four at = FourAt(mode_, g.rows, y);
      for (int64_t x = 0; x < g.columns.out; ++x, grads += g.channels) {
        SpreadPixel(g, at, table[x], grads, out);
      }
    }
  }

  const ResizeMode mode_;
};

Status BicubicGradient(GradientContext& c) {
  const Output grad = c.grad();
  const DType type = c.input(0).dtype();
  if (type != DType::kFloat && type != DType::kDouble) return c.Return({Gradient(), Gradient()});
  return c.Return({c.Add("ResizeBicubicGrad", {grad, c.input(0)},
                         AttrsNamed(c, {"align_corners", "half_pixel_centers"})),
                   Gradient()});
}

RAMET_OP("ResizeBicubic")
    .Input("images: T")
    .Input("size: int32")
    .Output("resized_images: float")
    .Attr("T: {" RAMET_RESIZE_TYPES ", half, float, double, bfloat16}")
    .Attr("align_corners: bool = false")
    .Attr("half_pixel_centers: bool = false")
    .Doc(
        "Returns images [batch, height, width, channels] resized to `size`, a vector of height and "
        "width, by cubic interpolation along both axes. With align_corners, the centers of the "
        "corner pixels stay in place; with half_pixel_centers, the outer edges of the image do. "
        "Error: the images are not of rank 4 or have no pixels or channels; `size` does not have "
        "two positive elements; both attrs are set.")
    .HostMemory({"size"})
    .Shape(ResizeShape)
    .Gradient(BicubicGradient)
    .CpuKernelClasses<BicubicKernel, RAMET_IMAGE_NUMBERS>();

RAMET_OP("ResizeBicubicGrad")
    .Input("grads: float")
    .Input("original_image: T")
    .Output("output: T")
    .Attr("T: {float, double}")
    .Attr("align_corners: bool = false")
    .Attr("half_pixel_centers: bool = false")
    .Doc(
        "Returns the gradient of ResizeBicubic for its images, of which original_image gives the "
        "height and width, from the gradients `grads` of its result. Error: an input is not of "
        "rank 4 or has no pixels; both attrs are set.")
    .Shape(ResizeGradShape)
    .CpuKernelClasses<BicubicGradKernel, float, double>();

}  // namespace
}  // namespace ramet
