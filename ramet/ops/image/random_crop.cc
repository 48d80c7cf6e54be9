#include <cstring>
#include <limits>

#include "ramet/linalg/random_bits.h"
#include "ramet/ops/image/resize.h"
#include "ramet/ops/math/types.h"
#include "ramet/ops/random/random_state.h"

// RandomCrop, which graphs of version 7 or less may contain.

namespace ramet {
namespace {

class RandomCropKernel final : public KernelFromAttrs<RandomCropKernel> {
 public:
  explicit RandomCropKernel(const AttrMap& attrs) : random_(attrs) {}

  Status Compute(KernelContext& c) override {
    const Tensor &image = c.input(0), &size = c.input(1);
    if (image.rank() != 3) return InvalidArgument("input must be 3-dimensional", image.shape());
    if (size.rank() != 1) return InvalidArgument("shape_t must be 1-dimensional", size.shape());
    if (size.dim(0) != 2) return InvalidArgument("shape_t must have two elements", size.shape());
    const int64_t height = size.data<int64_t>()[0], width = size.data<int64_t>()[1];
    if (image.dim(0) < height || height < 0) {
      return InvalidArgument("height must be >= target_height: height = ", image.dim(0),
                             ", target_height = ", height);
    }
    if (image.dim(1) < width || width < 0) {
      return InvalidArgument("width must be >= target_width: width = ", image.dim(1),
                             ", target_width = ", width);
    }
    RAMET_ASSIGN_OR_RETURN(Tensor * y,
                           c.Allocate(0, image.dtype(), Shape{height, width, image.dim(2)}));
    const auto [top, left] = Draw(image.dim(0) - height, image.dim(1) - width);
    const size_t pixel = static_cast<size_t>(image.dim(2)) * DTypeSize(image.dtype());
    const auto* from = static_cast<const char*>(image.raw_data());
    auto* to = static_cast<char*>(y->raw_data());
    if (y->num_elements() == 0) return OkStatus();
    for (int64_t row = 0; row < height; ++row, to += width * pixel) {
      std::memcpy(to, from + ((top + row) * image.dim(1) + left) * pixel, width * pixel);
    }
    return OkStatus();
  }

 private:
  struct Corner {
    int64_t top, left;
  };
  // Returns a corner in 0..rows, 0..columns. Each run that draws one takes four words.
  Corner Draw(int64_t rows, int64_t columns) {
    Corner corner{0, 0};
    if (rows == 0 && columns == 0) return corner;
    random_.Move([&](linalg::Philox& generator) {
      linalg::WordStream words(&generator);
      const auto up_to = [&](int64_t n) {
        return n == 0 ? 0 : static_cast<int64_t>(words() % (static_cast<uint64_t>(n) + 1));
      };
      corner.left = up_to(columns);
      corner.top = up_to(rows);
    });
    return corner;
  }

  RandomState random_;
};

template <class T>
using RandomCropKernelOf = RandomCropKernel;

Status RandomCropShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const Shape image, c.WithRank(0, 3));
  RAMET_ASSIGN_OR_RETURN(Shape size, c.constant_as_shape(1));
  RAMET_ASSIGN_OR_RETURN(size, size.MergeWith(Shape::OfRank(2)));
  c.set_output(0, Shape{size.dim(0), size.dim(1), image.dim(2)});
  return OkStatus();
}

RAMET_OP("RandomCrop")
    .Input("image: T")
    .Input("size: int64")
    .Output("output: T")
    .Attr("T: {uint8, int8, int16, int32, int64, float, double}")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .AttrRange("seed", INT64_MIN, INT64_MAX)
    .AttrRange("seed2", INT64_MIN, INT64_MAX)
    .Doc(
        "Returns a part of an image [height, width, channels] at a random position. `size` is the "
        "height and width of the part. Only graphs of version 7 or less may contain it. Error: a "
        "shape does not match this; the part is larger than the image.")
    .Stateful()
    .HostMemory({"size"})
    .Shape(RandomCropShape)
    .NotDifferentiable()
    .CpuKernelClasses<RandomCropKernelOf, uint8_t, int8_t, int16_t, int32_t, int64_t, float,
                      double>();

}  // namespace
}  // namespace ramet
