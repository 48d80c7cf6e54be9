#include <algorithm>

#include "ramet/op/op.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"
#include "ramet/ops/math/wrapping.h"

namespace ramet {
namespace {

Status CheckBincount(const Tensor& input, const Tensor& size, const Tensor& weights) {
  if (input.rank() > 2)
    return InvalidArgument("Shape must be at most rank 2 but is rank ", input.rank());
  if (size.rank() != 0) return InvalidArgument("Shape must be rank 0 but is rank ", size.rank());
  if (IntegerAt(size, 0) < 0) {
    return InvalidArgument("size (", IntegerAt(size, 0), ") must be non-negative");
  }
  if (weights.num_elements() == 0 || weights.shape() == input.shape()) return OkStatus();
  return InvalidArgument(
      "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it acts as "
      "all weights equal to 1. Received ",
      weights.shape());
}

// Counts the elements of `input`, in rows of `width` elements, into rows of `size` bins.
template <class T, class Index>
Status CountRows(const Index* input, int64_t n, int64_t width, int64_t size, const T* weights,
                 bool binary, T* bins) {
  int64_t left = width;
  for (int64_t i = 0; i < n; ++i, --left) {
    if (left == 0) {
      left = width;
      bins += size;
    }
    const int64_t value = static_cast<int64_t>(input[i]);
    if (value < 0) return InvalidArgument("Input arr must be non-negative!");
    if (value >= size) continue;
    bins[value] = binary ? T(1) : WrappingAdd(bins[value], weights != nullptr ? weights[i] : T(1));
  }
  return OkStatus();
}

template <class T>
Status DenseBincount(KernelContext& c, bool binary) {
  const Tensor &input = c.input(0), &weights = c.input(2);
  RAMET_RETURN_IF_ERROR(CheckBincount(input, c.input(1), weights));
  const int64_t size = IntegerAt(c.input(1), 0);
  const bool rows = input.rank() == 2;
  const Shape shape = rows ? Shape{input.dim(0), size} : Shape{size};
  RAMET_ASSIGN_OR_RETURN(Shape checked, Shape::Make(shape.dims()));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DTypeOf<T>::value, checked));
  T* bins = y->mutable_data<T>();
  std::fill_n(bins, y->num_elements(), T(0));
  const int64_t width = rows ? input.dim(1) : input.num_elements();
  const T* weight = weights.num_elements() > 0 ? weights.data<T>() : nullptr;
  const int64_t n = input.num_elements();
  return input.dtype() == DType::kInt64
             ? CountRows(input.data<int64_t>(), n, width, size, weight, binary, bins)
             : CountRows(input.data<int32_t>(), n, width, size, weight, binary, bins);
}

template <class T>
Status Bincount(KernelContext& c) {
  const Tensor &input = c.input(0), &size = c.input(1), &weights = c.input(2);
  if (size.rank() != 0) return InvalidArgument("Shape must be rank 0 but is rank ", size.rank());
  const int64_t count = IntegerAt(size, 0);
  if (count < 0) return InvalidArgument("size (", count, ") must be non-negative");
  if (weights.num_elements() > 0 && weights.num_elements() != input.num_elements()) {
    return InvalidArgument("Input indices and weights must have the same size.");
  }
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DTypeOf<T>::value, Shape{count}));
  T* bins = y->mutable_data<T>();
  std::fill_n(bins, count, T(0));
  const T* weight = weights.num_elements() > 0 ? weights.data<T>() : nullptr;
  const int32_t* values = input.data<int32_t>();
  for (int64_t i = 0; i < input.num_elements(); ++i) {
    const int64_t value = values[i];
    if (value < 0) return InvalidArgument("Input arr must be non-negative!");
    if (value >= count) continue;
    bins[value] = WrappingAdd(bins[value], weight != nullptr ? weight[i] : T(1));
  }
  return OkStatus();
}

template <class T>
class BincountKernel final : public Kernel {
 public:
  explicit BincountKernel(bool binary) : binary_(binary) {}
  static StatusOr<std::unique_ptr<Kernel>> Make(const KernelNode& node) {
    return std::unique_ptr<Kernel>(
        std::make_unique<BincountKernel>(node.attrs->GetOr("binary_output", false)));
  }
  Status Compute(KernelContext& c) override { return DenseBincount<T>(c, binary_); }

 private:
  const bool binary_;
};

Status BincountShape(ShapeContext& c) {
  const Shape& input = c.input(0);
  if (input.rank() > 2) {
    return InvalidArgument("Shape must be at most rank 2 but is rank ", input.rank());
  }
  if (input.unknown_rank()) return OkStatus();
  const Tensor* size = c.constant(1);
  const int64_t known =
      size != nullptr && size->rank() == 0 ? IntegerAt(*size, 0) : Shape::kUnknownDim;
  if (known < Shape::kUnknownDim) {
    return InvalidArgument("size (", known, ") must be non-negative");
  }
  c.set_output(0, input.rank() == 2 ? Shape{input.dim(0), known} : Shape{known});
  return OkStatus();
}

Status VectorOfBinsShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  const Tensor* size = c.constant(1);
  const int64_t known = size != nullptr ? IntegerAt(*size, 0) : Shape::kUnknownDim;
  if (size != nullptr && known < 0) {
    return InvalidArgument("size (", known, ") must be non-negative");
  }
  c.set_output(0, Shape{known});
  return OkStatus();
}

RAMET_OP("Bincount")
    .Input("arr: int32")
    .Input("size: int32")
    .Input("weights: T")
    .Output("bins: T")
    .Attr("T: {int32, int64, float, double}")
    .HostMemory({"size"})
    .Doc(
        "Returns, for each number below `size`, how often it occurs in arr, or, if `weights` is "
        "not empty, the sum of the weights of its occurrences. Larger numbers are ignored. Error: "
        "a number or `size` is negative; `size` is not a scalar; weights is not empty and has a "
        "different number of elements than arr.")
    .Shape(VectorOfBinsShape)
    .CpuKernels<int32_t, int64_t, float, double>([]<class T>(KernelContext& c) {
      return Bincount<T>(c);
    });

RAMET_OP("DenseBincount")
    .Input("input: Tidx")
    .Input("size: Tidx")
    .Input("weights: T")
    .Output("output: T")
    .Attr("Tidx: {int32, int64}")
    .Attr("T: {int32, int64, float, double}")
    .Attr("binary_output: bool = false")
    .HostMemory({"size"})
    .Doc(
        "Returns, for each number below `size`, how often it occurs in the input, or, if `weights` "
        "is not empty, the sum of the weights of its occurrences. With binary_output, the result "
        "is 1 if the number occurs and 0 otherwise. The rows of a matrix are counted separately. "
        "Larger numbers are ignored. Error: a number or `size` is negative; `size` is not a "
        "scalar; the rank of the input is above 2; `weights` is not empty and has a different "
        "shape than the input.")
    .Shape(BincountShape)
    .CpuKernelClasses<BincountKernel, int32_t, int64_t, float, double>();

}  // namespace
}  // namespace ramet
