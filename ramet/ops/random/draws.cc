#include "ramet/ops/random/draws.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ramet/linalg/cast.h"
#include "ramet/linalg/random_rejection.h"
#include "ramet/linalg/strided_copy.h"
#include "ramet/ops/array/args.h"

namespace ramet {
namespace {

// The largest number of a dtype.
double LargestOf(DType dtype) {
  switch (dtype) {
    case kHalf: return 65504;
    case kFloat: return std::numeric_limits<float>::max();
    case kInt32: return std::numeric_limits<int32_t>::max();
    case kInt64: return static_cast<double>(std::numeric_limits<int64_t>::max());
    default: return std::numeric_limits<double>::max();
  }
}

// Larger rates, and NaN, would be drawn again forever.
Status CheckRates(const Tensor& rates, DType dtype) {
  for (double rate : rates.flat<double>()) {
    if (rate <= LargestOf(dtype) || std::isinf(rate)) continue;
    return InvalidArgument("rate ", rate, " is not a number that fits into ", DTypeName(dtype),
                           "; use a smaller rate or a wider dtype");
  }
  return OkStatus();
}

}  // namespace

void DrawGamma(const Tensor& alpha, const linalg::Philox& generator, int64_t samples, Tensor& y) {
  linalg::FillGamma(LinalgType(alpha.dtype()), generator, alpha.raw_data(), alpha.num_elements(),
                    y.raw_data(), samples);
}

Status DrawPoisson(KernelContext& c, const Tensor& rates, const linalg::Philox& generator,
                   int64_t samples, Tensor& y) {
  RAMET_ASSIGN_OR_RETURN(const Tensor doubles, AsDoubles(c, rates));
  RAMET_RETURN_IF_ERROR(CheckRates(doubles, y.dtype()));
  linalg::FillPoisson(LinalgType(y.dtype()), generator, doubles.data<double>(),
                      doubles.num_elements(), y.raw_data(), samples);
  return OkStatus();
}

StatusOr<Shape> SampledShape(const KernelContext& c, int input, const Shape& parameters) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, ShapeArg(c.input(input), "shape"));
  const int extra = shape.rank() - parameters.rank();
  if (extra >= 0 && shape.Slice(extra, shape.rank()) == parameters) return shape;
  return InvalidArgument("Shape passed in must end with broadcasted shape. It is ", shape,
                         ", and that of the parameters is ", parameters);
}

StatusOr<Tensor> BroadcastParameter(KernelContext& c, const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  RAMET_ASSIGN_OR_RETURN(Tensor y, c.AllocateTemp(x.dtype(), shape));
  const Dims y_strides = RowMajorStrides(shape.dims());
  const Dims given = RowMajorStrides(x.shape().dims());
  Dims x_strides(shape.rank(), 0);
  const int extra = shape.rank() - x.rank();
  for (int i = 0; i < x.rank(); ++i) x_strides[extra + i] = x.dim(i) == 1 ? 0 : given[i];
  if (y.num_elements() == 0) return y;
  linalg::StridedCopy(DTypeSize(x.dtype()), shape.dims(), x.raw_data(), x_strides, y.raw_data(),
                      y_strides);
  return y;
}

StatusOr<Tensor> AsDoubles(KernelContext& c, const Tensor& x) {
  RAMET_ASSIGN_OR_RETURN(Tensor y, c.AllocateTemp(kDouble, x.shape()));
  linalg::Cast(LinalgType(x.dtype()), x.raw_data(), linalg::Type::kDouble, y.raw_data(),
               x.num_elements());
  return y;
}

}  // namespace ramet
