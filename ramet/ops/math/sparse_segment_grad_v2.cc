#include <algorithm>
#include <vector>

#include "ramet/op/op.h"
#include "ramet/ops/math/segment_combiner.h"
#include "ramet/ops/math/types.h"

// Gradients of the SparseSegment ops that hold only the rows that were selected.

namespace ramet {
namespace {

Status CheckArguments(KernelContext& c) {
  const Tensor &indices = c.input(1), &ids = c.input(2), &rows = c.input(3);
  if (c.input(0).rank() < 1) return InvalidArgument("grad must be at least 1 dimensional");
  if (ids.rank() != 1) return InvalidArgument("segment_ids should be a vector.");
  if (indices.rank() != 1) return InvalidArgument("indices should be a vector.");
  if (ids.dim(0) != indices.dim(0)) {
    return InvalidArgument("segment_ids and indices should have same size.");
  }
  if (rows.rank() != 0) return InvalidArgument("dense_output_dim0 should be a scalar.");
  const int64_t size = IntegerAt(rows, 0), segments = c.input(0).dim(0);
  if (size < 0) return InvalidArgument("Expected a non-negative size, got ", size);
  for (int64_t i = 0; i < ids.num_elements(); ++i) {
    const int64_t id = IntegerAt(ids, i), at = IntegerAt(indices, i);
    if (id < 0 || id >= segments) return InvalidArgument("Invalid number of segments");
    if (at < 0 || at >= size) {
      return InvalidArgument("Index ", at, " out of range [0, ", size, ").");
    }
  }
  return OkStatus();
}

std::vector<int64_t> SortedUnique(const Tensor& indices) {
  std::vector<int64_t> rows(indices.num_elements());
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = IntegerAt(indices, static_cast<int64_t>(i));
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

// Counts how often each value occurs. It uses no table of counts, because a gradient without
// elements may have any number of rows.
class Occurrences {
 public:
  explicit Occurrences(const Tensor& values) : sorted_(values.num_elements()) {
    for (size_t i = 0; i < sorted_.size(); ++i) {
      sorted_[i] = IntegerAt(values, static_cast<int64_t>(i));
    }
    std::ranges::sort(sorted_);
  }
  int64_t Of(int64_t value) const {
    const auto [first, last] = std::equal_range(sorted_.begin(), sorted_.end(), value);
    return last - first;
  }

 private:
  std::vector<int64_t> sorted_;
};

Status OutputIndices(KernelContext& c, const std::vector<int64_t>& rows) {
  const DType type = c.input(1).dtype();
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(1, type, Shape{std::ssize(rows)}));
  for (size_t i = 0; i < rows.size(); ++i) {
    if (type == kInt32) {
      y->mutable_data<int32_t>()[i] = static_cast<int32_t>(rows[i]);
    } else {
      y->mutable_data<int64_t>()[i] = rows[i];
    }
  }
  return OkStatus();
}

template <class T, SegmentCombiner combiner>
Status Compute(KernelContext& c) {
  RAMET_RETURN_IF_ERROR(CheckArguments(c));
  using Sum = std::conditional_t<std::is_arithmetic_v<T>, T, float>;
  const Tensor &grad = c.input(0), &indices = c.input(1), &ids = c.input(2);
  const std::vector<int64_t> rows = SortedUnique(indices);
  RAMET_RETURN_IF_ERROR(OutputIndices(c, rows));
  const Occurrences occurrences(ids);
  Shape shape{std::ssize(rows)};
  for (int d = 1; d < grad.rank(); ++d) shape.Append(grad.dim(d));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, grad.dtype(), shape));
  std::fill_n(y->mutable_data<T>(), y->num_elements(), T(0));
  const int64_t width = Product(grad.shape(), 1, grad.rank());
  for (int64_t i = 0; i < ids.num_elements(); ++i) {
    const int64_t id = IntegerAt(ids, i);
    const auto row = std::ranges::lower_bound(rows, IntegerAt(indices, i)) - rows.begin();
    const Sum scale = static_cast<Sum>(SegmentScale(combiner, occurrences.Of(id)));
    const T* x = grad.data<T>() + id * width;
    T* out = y->mutable_data<T>() + row * width;
    for (int64_t k = 0; k < width; ++k) {
      out[k] = static_cast<T>(static_cast<Sum>(out[k]) + static_cast<Sum>(x[k]) * scale);
    }
  }
  return OkStatus();
}

Status GradShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape grad, c.WithRankAtLeast(0, 1));
  RAMET_ASSIGN_OR_RETURN(Shape indices, c.WithRank(1, 1));
  RAMET_RETURN_IF_ERROR(c.WithRank(2, 1).status());
  RAMET_RETURN_IF_ERROR(indices.MergeWith(c.input(2)).status());
  RAMET_RETURN_IF_ERROR(c.WithRank(3, 0).status());
  c.set_output(1, Shape{Shape::kUnknownDim});
  if (!grad.unknown_rank()) {
    c.set_output(0, Shape{Shape::kUnknownDim}.Concatenate(grad.Slice(1, grad.rank())));
  }
  return OkStatus();
}

#define RAMET_SPARSE_SEGMENT_GRAD_V2(name, combiner)                                              \
  RAMET_OP(name "GradV2")                                                                         \
      .Input("grad: T")                                                                           \
      .Input("indices: Tidx")                                                                     \
      .Input("segment_ids: Tsegmentids")                                                          \
      .Input("dense_output_dim0: int32")                                                          \
      .Output("output: T")                                                                        \
      .Output("sorted_unique_indices: Tidx")                                                      \
      .Attr("T: {bfloat16, half, float, double}")                                                 \
      .Attr("Tidx: {int32, int64} = int32")                                                       \
      .Attr("Tsegmentids: {int32, int64} = int32")                                                \
      .HostMemory({"dense_output_dim0"})                                                          \
      .Doc("Returns the gradient of " name                                                        \
           " for the rows of data that it selects, and the sorted indices of these rows. Error: " \
           "an index is not in [0, dense_output_dim0); an id is out of range; dense_output_dim0 " \
           "is not a scalar or is negative; `indices` and segment_ids are not vectors of the "    \
           "same length.")                                                                        \
      .Shape(GradShape)                                                                           \
      .CpuKernels<RAMET_FLOATS>(                                                                  \
          []<class T>(KernelContext& c) { return Compute<T, SegmentCombiner::combiner>(c); })

RAMET_SPARSE_SEGMENT_GRAD_V2("SparseSegmentSum", kSum);
RAMET_SPARSE_SEGMENT_GRAD_V2("SparseSegmentMean", kMean);
RAMET_SPARSE_SEGMENT_GRAD_V2("SparseSegmentSqrtN", kSqrtN);

}  // namespace
}  // namespace ramet
