#pragma once

#include <cstring>
#include <memory>

#include "ramet/linalg/parallel.h"
#include "ramet/op/op.h"

// Sizes, positions and shape functions for ops that resize images [batch, height, width, channels].

namespace ramet {

// How a resize maps positions in the result to positions in the image.
struct ResizeMode {
  ResizeMode() = default;
  explicit ResizeMode(const AttrMap& attrs)
      : align_corners(attrs.GetOr("align_corners", false)),
        half_pixel_centers(attrs.GetOr("half_pixel_centers", false)) {}

  // Returns the position in the image of element i of the result, in the coordinates in which the
  // centers of pixels are whole numbers.
  float Position(int64_t i, float scale) const {
    const float x = static_cast<float>(static_cast<int>(i));
    return half_pixel_centers ? (x + 0.5f) * scale - 0.5f : x * scale;
  }
  // Returns by how much an axis shrinks from `in` to `out` elements.
  float Scale(int64_t in, int64_t out) const;
  // \error kInvalidArgument: both attrs are set.
  Status Check() const;

  bool align_corners = false;
  bool half_pixel_centers = false;
};

// One axis of a resize: the size of the image, that of the result, and their ratio.
struct ResizeAxis {
  int64_t in = 0, out = 0;
  float scale = 0;
};

struct ResizeGeometry {
  int64_t batch = 0, channels = 0;
  ResizeAxis rows, columns;

  int64_t in_row() const { return columns.in * channels; }
  int64_t out_row() const { return columns.out * channels; }
  int64_t in_image() const { return rows.in * in_row(); }
  int64_t out_image() const { return rows.out * out_row(); }
};

// Returns the geometry of a resize of `images` to `size`, a vector of height and width.
// \error kInvalidArgument: the mode is invalid, `images` is not of rank 4 or has no pixels or
//   channels, or `size` does not have two positive elements.
StatusOr<ResizeGeometry> ResizeOf(const ResizeMode& mode, const Tensor& images, const Tensor& size);
// Returns the geometry of the resize whose result has the gradient `grads`.
// \error kInvalidArgument: the mode is invalid, an input is not of rank 4 or has no pixels, or the
//   batch sizes or channels differ.
StatusOr<ResizeGeometry> ResizeGradOf(const ResizeMode& mode, const Tensor& grads,
                                      const Tensor& original);

// Interpolates images, which are half, float or double, along both axes. `resized` has the shape of
// the result, which is not empty. It is double for double images and otherwise float.
void InterpolateImages(const ResizeMode& mode, const ResizeGeometry& g, const Tensor& images,
                       Tensor& resized);

// Returns height and width from a vector of int32 with two elements.
// \error kInvalidArgument: "NAME must be 1-dimensional[]".
StatusOr<std::pair<int64_t, int64_t>> HeightAndWidth(const Tensor& t, std::string_view name);

// Allocates output 0 for the result, or for the gradient of the image.
StatusOr<Tensor*> AllocateResized(KernelContext& c, DType dtype, const ResizeGeometry& g);
StatusOr<Tensor*> AllocateOriginal(KernelContext& c, DType dtype, const ResizeGeometry& g);

// Computes `dx`, the gradients of all images, of type D, from `grads`, those of the result, of type
// G. `columns` returns a table of the columns of the result. spread(table, grads, dx) adds the
// gradients of one result to those of its image.
template <class G, class D, class Columns, class Spread>
void SpreadImages(const ResizeGeometry& g, const Tensor& grads, Tensor& dx, Columns&& columns,
                  Spread&& spread) {
  std::memset(dx.raw_data(), 0, dx.bytes());
  if (grads.num_elements() == 0) return;
  const auto* table = columns();
  linalg::ParallelFor(g.batch, 1, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      spread(table, grads.data<G>() + n * g.out_image(), dx.mutable_data<D>() + n * g.in_image());
    }
  });
}

// Computes output 0, the gradient of the images, from input 0, the gradient of the result. See
// SpreadImages.
template <class G, class T, class Columns, class Spread>
Status SpreadGradients(KernelContext& c, const ResizeGeometry& g, Columns&& columns,
                       Spread&& spread) {
  RAMET_ASSIGN_OR_RETURN(Tensor * dx, AllocateOriginal(c, DTypeOf<T>::value, g));
  if (dx->num_elements() > 0) SpreadImages<G, T>(g, c.input(0), *dx, columns, spread);
  return OkStatus();
}

// Returns x as a float. T is any real dtype.
template <class T>
float ToFloat(T x) {
  return static_cast<float>(x);
}

// Adds `value`, rounded to T, to *sum. Sums of short floats are rounded after each addition.
template <class T>
void AddTo(float value, T* sum) {
  *sum = static_cast<T>(static_cast<float>(*sum) + static_cast<float>(static_cast<T>(value)));
}
inline void AddTo(float value, double* sum) { *sum += value; }

// A base class of kernels that are constructed from the attrs of their node.
template <class K>
class KernelFromAttrs : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(std::make_unique<K>(*node.attrs));
  }
};

// The output has the batch and channels of input 0, and height and width from input 1.
Status ResizeShape(ShapeContext& c);
// The output has the shape of input 1, the original image, and the batch and channels of input 0.
Status ResizeGradShape(ShapeContext& c);

// Returns the attrs of this op named in `names`.
class GradientContext;
AttrMap AttrsNamed(const GradientContext& c, std::initializer_list<const char*> names);

// The definition of images to resize, without bfloat16, which TensorFlow lists in different places.
#define RAMET_RESIZE_TYPES "int8, uint8, int16, uint16, int32, int64"
#define RAMET_IMAGE_NUMBERS RAMET_FLOATS, RAMET_SIGNED, RAMET_UNSIGNED

}  // namespace ramet
