#include <algorithm>
#include <cmath>

#include "ramet/linalg/parallel.h"
#include "ramet/linalg/scratch.h"
#include "ramet/ops/image/resize.h"
#include "ramet/ops/math/types.h"

// Resizing images by averaging the area that each pixel of the result covers.

namespace ramet {
namespace {

// The elements [begin, end) of an axis that one element of the result covers.
struct Cover {
  float from, to;  // the covered interval
  int64_t begin, end;
};

Cover CoverAt(const ResizeAxis& axis, int64_t i) {
  Cover cover;
  cover.from = static_cast<float>(i) * axis.scale;
  cover.to = static_cast<float>(i + 1) * axis.scale;
  cover.begin = static_cast<int64_t>(std::floor(cover.from));
  cover.end = static_cast<int64_t>(std::ceil(cover.to));
  return cover;
}

// Returns how much of element i of the axis is covered.
float Part(const ResizeAxis& axis, const Cover& cover, int64_t i) {
  const float begin = static_cast<float>(i), end = static_cast<float>(i + 1);
  if (begin < cover.from) return end > cover.to ? axis.scale : end - cover.from;
  return end > cover.to ? cover.to - begin : 1.0f;
}

struct CoverColumn {
  int64_t begin, end;
  float first, last;  // parts of the first and last elements; the others are covered whole
};

const CoverColumn* CoverColumns(const ResizeAxis& axis) {
  auto* table = static_cast<CoverColumn*>(linalg::Scratch(
      linalg::ScratchUse::kAxisTable, axis.out * static_cast<int64_t>(sizeof(CoverColumn))));
  for (int64_t i = 0; i < axis.out; ++i) {
    const Cover cover = CoverAt(axis, i);
    table[i] = {cover.begin, cover.end, Part(axis, cover, cover.begin),
                Part(axis, cover, cover.end - 1)};
  }
  return table;
}

// Adds `weight` times the covered parts of a row to a row of the result.
template <class T>
void AddRow(const ResizeGeometry& g, const CoverColumn* table, const T* row, float weight,
            float* out) {
  const int64_t last = g.columns.in - 1, depth = g.channels;
  const auto at = [&](int64_t x) { return row + std::clamp<int64_t>(x, 0, last) * depth; };
  for (int64_t x = 0; x < g.columns.out; ++x, out += depth) {
    const CoverColumn& cover = table[x];
    for (int64_t k = 0; k < depth; ++k) {
      float sum = ToFloat(at(cover.begin)[k]) * cover.first;
      for (int64_t i = cover.begin + 1; i < cover.end - 1; ++i) sum += ToFloat(at(i)[k]);
      if (cover.end - 1 > cover.begin) sum += ToFloat(at(cover.end - 1)[k]) * cover.last;
      out[k] += sum * weight;
    }
  }
}

template <class T>
void AverageRow(const ResizeGeometry& g, const CoverColumn* table, const T* image, int64_t y,
                float* out) {
  std::fill_n(out, g.out_row(), 0.0f);
  const Cover cover = CoverAt(g.rows, y);
  for (int64_t i = cover.begin; i < cover.end; ++i) {
    const T* row = image + std::clamp<int64_t>(i, 0, g.rows.in - 1) * g.in_row();
    AddRow(g, table, row, Part(g.rows, cover, i), out);
  }
  const float scale = static_cast<float>(1.0 / (g.rows.scale * g.columns.scale));
  for (int64_t i = 0; i < g.out_row(); ++i) out[i] *= scale;
}

template <class T>
class AreaKernel final : public KernelFromAttrs<AreaKernel<T>> {
 public:
  explicit AreaKernel(const AttrMap& attrs) : mode_(attrs) {}
  Status Compute(KernelContext& c) override {
    const Tensor& images = c.input(0);
    RAMET_ASSIGN_OR_RETURN(const ResizeGeometry g, ResizeOf(mode_, images, c.input(1)));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, AllocateResized(c, DType::kFloat, g));
    if (y->num_elements() == 0) return OkStatus();
    const CoverColumn* table = CoverColumns(g.columns);
    linalg::ParallelFor(g.batch * g.rows.out, 1, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const T* image = images.data<T>() + row / g.rows.out * g.in_image();
        AverageRow(g, table, image, row % g.rows.out, y->mutable_data<float>() + row * g.out_row());
      }
    });
    return OkStatus();
  }

 private:
  const ResizeMode mode_;
};

RAMET_OP("ResizeArea")
    .Input("images: T")
    .Input("size: int32")
    .Output("resized_images: float")
    .Attr("T: {" RAMET_RESIZE_TYPES ", half, float, double, bfloat16}")
    .Attr("align_corners: bool = false")
    .Doc(
        "Returns images [batch, height, width, channels] resized to `size`, a vector of height and "
        "width. Each pixel is the average of the area of the image that it covers. With "
        "align_corners, the ratio of sizes is that of the distances between corner pixels. Error: "
        "the images are not of rank 4 or have no pixels or channels; `size` does not have two "
        "positive elements.")
    .HostMemory({"size"})
    .Shape(ResizeShape)
    .CpuKernelClasses<AreaKernel, RAMET_IMAGE_NUMBERS>();

}  // namespace
}  // namespace ramet
