#include <algorithm>
#include <cstring>
#include <limits>

#include "ramet/gradients/indexed_slices.h"
#include "ramet/op/op.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/segment_combiner.h"
#include "ramet/ops/math/types.h"
#include "ramet/ops/math/wrapping.h"

// SparseSegment ops: sums and means of rows that are selected by indices and grouped by id (used by
// embedding_lookup_sparse).

namespace ramet {
namespace {

// The type for sums: float for short floats.
template <class T>
struct SumOf {
  using Type = T;
};
template <>
struct SumOf<Half> {
  using Type = float;
};
template <>
struct SumOf<BFloat16> {
  using Type = float;
};

Status CheckSizes(const Tensor& indices, const Tensor& ids) {
  if (ids.rank() != 1) return InvalidArgument("segment_ids should be a vector.");
  if (indices.rank() != 1) return InvalidArgument("indices should be a vector.");
  if (ids.dim(0) == indices.dim(0)) return OkStatus();
  return InvalidArgument("segment_ids and indices should have same size.");
}

// Returns the number of rows of the result: one more than the last id.
// \error kInvalidArgument: the ids are negative, not in ascending order or too large.
StatusOr<int64_t> CountSegments(const Tensor& ids) {
  int64_t segments = 0;
  for (int64_t i = 0; i < ids.num_elements(); ++i) {
    const int64_t id = IntegerAt(ids, i);
    if (id < 0) {
      return InvalidArgument("Segment id ", id, " out of range [0, ",
                             WrappingAdd(IntegerAt(ids, ids.num_elements() - 1), int64_t{1}),
                             "), possibly because 'segment_ids' input is not sorted.");
    }
    if (id == std::numeric_limits<int64_t>::max()) {
      return InvalidArgument("segment id ", id, " is too large");
    }
    if (id + 1 < segments) return InvalidArgument("segment ids are not increasing");
    segments = id + 1;
  }
  return segments;
}

template <class T>
void CombineRows(SegmentCombiner combiner, const Tensor& data, const Tensor& indices, int64_t first,
                 int64_t last, typename SumOf<T>::Type* sums, int64_t row, T* out) {
  using Sum = typename SumOf<T>::Type;
  std::fill_n(sums, row, Sum(0));
  for (int64_t i = first; i < last; ++i) {
    const T* x = data.data<T>() + IntegerAt(indices, i) * row;
    for (int64_t k = 0; k < row; ++k) sums[k] = WrappingAdd(sums[k], static_cast<Sum>(x[k]));
  }
  const double scale = SegmentScale(combiner, last - first);
  for (int64_t k = 0; k < row; ++k) {
    out[k] = combiner == SegmentCombiner::kSum ? static_cast<T>(sums[k])
                                               : static_cast<T>(sums[k] * static_cast<Sum>(scale));
  }
}

// Returns the number of rows of the result: input 3 if there is one, else one more than the last
// id.
StatusOr<int64_t> SegmentsOf(const KernelContext& c) {
  const Tensor& ids = c.input(2);
  if (c.num_inputs() < 4) return CountSegments(ids);
  const Tensor& wanted = c.input(3);
  if (wanted.rank() != 0) {
    return InvalidArgument("num_segments should be a scalar, not shape ", wanted.shape());
  }
  const int64_t segments = IntegerAt(wanted, 0);
  if (segments < 0) return InvalidArgument("segment ids must be >= 0");
  const int64_t last = ids.num_elements() == 0 ? -1 : IntegerAt(ids, ids.num_elements() - 1);
  if (last >= segments) return InvalidArgument("segment ids must be < num_segments");
  const auto counted = CountSegments(ids);
  if (counted.ok() || ids.num_elements() == 0 || IntegerAt(ids, 0) >= 0) {
    RAMET_RETURN_IF_ERROR(counted.status());
    return segments;
  }
  return InvalidArgument("Segment id ", IntegerAt(ids, 0), " out of range [0, ", segments,
                         "), possibly because 'segment_ids' input is not sorted.");
}

template <class T, SegmentCombiner combiner>
Status SparseSegment(KernelContext& c) {
  const Tensor &data = c.input(0), &indices = c.input(1), &ids = c.input(2);
  if (data.rank() < 1) return InvalidArgument("data must be at least 1 dimensional");
  RAMET_RETURN_IF_ERROR(CheckSizes(indices, ids));
  RAMET_ASSIGN_OR_RETURN(int64_t segments, SegmentsOf(c));
  for (int64_t i = 0; i < indices.num_elements(); ++i) {
    const int64_t at = IntegerAt(indices, i);
    if (at >= 0 && at < data.dim(0)) continue;
    return InvalidArgument("Bad: indices[", i, "] == ", at, " out of range [0, ", data.dim(0), ")");
  }
  Shape shape{segments};
  for (int d = 1; d < data.rank(); ++d) shape.Append(data.dim(d));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, data.dtype(), shape));
  if (y->bytes() > 0) std::memset(y->raw_data(), 0, y->bytes());
  const int64_t row = Product(data.shape(), 1, data.rank());
  using Sum = typename SumOf<T>::Type;
  RAMET_ASSIGN_OR_RETURN(Tensor sums, c.AllocateTemp(DTypeOf<Sum>::value, Shape{row}));
  for (int64_t first = 0, last = 0; first < ids.num_elements(); first = last) {
    const int64_t id = IntegerAt(ids, first);
    while (last < ids.num_elements() && IntegerAt(ids, last) == id) ++last;
    CombineRows(combiner, data, indices, first, last, sums.mutable_data<Sum>(), row,
                y->mutable_data<T>() + id * row);
  }
  return OkStatus();
}

// Adds the gradient of each segment to the rows of data that are in it.
template <class T, SegmentCombiner combiner>
Status SparseSegmentGrad(KernelContext& c) {
  using Sum = typename SumOf<T>::Type;
  const Tensor &grad = c.input(0), &indices = c.input(1), &ids = c.input(2);
  if (grad.rank() < 1) return InvalidArgument("grad must be at least 1 dimensional");
  RAMET_RETURN_IF_ERROR(CheckSizes(indices, ids));
  if (c.input(3).rank() != 0) return InvalidArgument("output_dim0 should be a scalar.");
  const int64_t rows = IntegerAt(c.input(3), 0);
  if (rows < 0) return InvalidArgument("output_dim0 must not be negative, but is ", rows);
  RAMET_ASSIGN_OR_RETURN(Tensor counted, c.AllocateTemp(DType::kInt64, Shape{grad.dim(0)}));
  int64_t* counts = counted.mutable_data<int64_t>();
  std::fill_n(counts, grad.dim(0), int64_t{0});
  for (int64_t i = 0; i < ids.num_elements(); ++i) {
    const int64_t id = IntegerAt(ids, i), at = IntegerAt(indices, i);
    if (id < 0 || id >= grad.dim(0)) return InvalidArgument("Invalid number of segments");
    if (at < 0 || at >= rows) {
      return InvalidArgument("Index ", at, " out of range [0, ", rows, ").");
    }
    ++counts[id];
  }
  Shape shape{rows};
  for (int d = 1; d < grad.rank(); ++d) shape.Append(grad.dim(d));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, grad.dtype(), shape));
  if (y->bytes() > 0) std::memset(y->raw_data(), 0, y->bytes());
  const int64_t row = Product(grad.shape(), 1, grad.rank());
  for (int64_t i = 0; i < ids.num_elements(); ++i) {
    const int64_t id = IntegerAt(ids, i);
    const Sum scale = static_cast<Sum>(SegmentScale(combiner, counts[id]));
    const T* x = grad.data<T>() + id * row;
    T* out = y->mutable_data<T>() + IntegerAt(indices, i) * row;
    for (int64_t k = 0; k < row; ++k) {
      out[k] = static_cast<T>(static_cast<Sum>(out[k]) + static_cast<Sum>(x[k]) * scale);
    }
  }
  return OkStatus();
}

Status SparseSegmentShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape data, c.WithRankAtLeast(0, 1));
  RAMET_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  RAMET_RETURN_IF_ERROR(c.WithRank(2, 1).status());
  RAMET_RETURN_IF_ERROR(c.input(1).MergeWith(c.input(2)).status());
  if (!data.unknown_rank()) {
    c.set_output(0, Shape{Shape::kUnknownDim}.Concatenate(data.Slice(1, data.rank())));
  }
  return OkStatus();
}

Status SparseSegmentGradShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape grad, c.WithRankAtLeast(0, 1));
  RAMET_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  RAMET_RETURN_IF_ERROR(c.WithRank(2, 1).status());
  RAMET_RETURN_IF_ERROR(c.WithRank(3, 0).status());
  const Tensor* rows = c.constant(3);
  if (rows && IntegerAt(*rows, 0) < 0) {
    return InvalidArgument("Cannot specify a negative value for output_dim0");
  }
  if (!grad.unknown_rank()) {
    const int64_t dim = rows ? IntegerAt(*rows, 0) : Shape::kUnknownDim;
    c.set_output(0, Shape{dim}.Concatenate(grad.Slice(1, grad.rank())));
  }
  return OkStatus();
}

Status SparseSegmentWithNumSegmentsShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(SparseSegmentShape(c));
  RAMET_RETURN_IF_ERROR(c.WithRank(3, 0).status());
  const Tensor* segments = c.constant(3);
  if (segments == nullptr || c.output(0).rank() < 1) return OkStatus();
  if (IntegerAt(*segments, 0) < 0) {
    return InvalidArgument("Cannot specify a negative value for num_segments");
  }
  Shape shape = c.output(0);
  shape.set_dim(0, IntegerAt(*segments, 0));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

// Returns the gradient of the rows that were selected, and their indices.
Gradient SelectedRowsGradient(GradientContext& c, const std::string& op) {
  const Output shape = ShapeOf(c, c.input(0)), grad = c.grad();
  const Operation rows =
      c.AddOperation(op + "GradV2", {grad, c.input(1), c.input(2), FirstDim(c.graph(), shape)});
  Gradient gradient = rows.output(0);
  gradient.indices = rows.output(1);
  gradient.dense_shape = shape;
  return gradient;
}

Status SparseSegmentGradient(GradientContext& c) {
  constexpr std::string_view kSuffix = "WithNumSegments";
  std::string op(c.op().type());
  if (op.ends_with(kSuffix)) op.resize(op.size() - kSuffix.size());
  std::vector<Gradient> grads(c.num_inputs());
  if (c.attr<bool>("sparse_gradient").value_or(false)) {
    grads[0] = SelectedRowsGradient(c, op);
    return c.Return(std::move(grads));
  }
  const Output rows = FirstDim(c.graph(), ShapeOf(c, c.input(0)));
  grads[0] = c.Add(op + "Grad", {c.grad(), c.input(1), c.input(2), rows});
  return c.Return(std::move(grads));
}

}  // namespace

#define RAMET_SPARSE_SEGMENT(name, types, what)                                                    \
  RAMET_OP(name)                                                                                   \
      .Input("data: T")                                                                            \
      .Input("indices: Tidx")                                                                      \
      .Input("segment_ids: Tsegmentids")                                                           \
      .Output("output: T")                                                                         \
      .Attr("T: " types)                                                                           \
      .Attr("Tidx: {int32, int64} = int32")                                                        \
      .Attr("Tsegmentids: {int32, int64} = int32")                                                 \
      .Attr("sparse_gradient: bool = false")                                                       \
      .Doc("Row i of the output is " what                                                          \
           " the rows of data at those positions in `indices` that have the id i in segment_ids, " \
           "or zeros if there are none. segment_ids is a vector as long as `indices`, in "         \
           "ascending order; the output has one more row than the last id. Error: an index is "    \
           "out of range; the ids are not in ascending order or are negative; `indices` and "      \
           "segment_ids are not vectors of the same length; data is a scalar.")                    \
      .Shape(SparseSegmentShape)                                                                   \
      .Gradient(SparseSegmentGradient)

RAMET_SPARSE_SEGMENT("SparseSegmentSum", "realnumbertype", "the sum of")
    .CpuKernels<float, double, Half, BFloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                uint32_t, uint64_t>([]<class T>(KernelContext& c) {
      return SparseSegment<T, SegmentCombiner::kSum>(c);
    });
RAMET_SPARSE_SEGMENT("SparseSegmentMean", "{bfloat16, half, float, double}", "the mean of")
    .CpuKernels<float, double, Half, BFloat16>([]<class T>(KernelContext& c) {
      return SparseSegment<T, SegmentCombiner::kMean>(c);
    });
RAMET_SPARSE_SEGMENT("SparseSegmentSqrtN", "{bfloat16, half, float, double}",
                     "the sum, divided by the square root of the number of rows, of")
    .CpuKernels<float, double, Half, BFloat16>([]<class T>(KernelContext& c) {
      return SparseSegment<T, SegmentCombiner::kSqrtN>(c);
    });

#define RAMET_SPARSE_SEGMENT_WITH_NUM_SEGMENTS(name, types, what)                                \
  RAMET_OP(name "WithNumSegments")                                                               \
      .Input("data: T")                                                                          \
      .Input("indices: Tidx")                                                                    \
      .Input("segment_ids: Tsegmentids")                                                         \
      .Input("num_segments: Tnumsegments")                                                       \
      .Output("output: T")                                                                       \
      .Attr("T: " types)                                                                         \
      .Attr("Tidx: {int32, int64} = int32")                                                      \
      .Attr("Tnumsegments: {int32, int64} = int32")                                              \
      .Attr("Tsegmentids: {int32, int64} = int32")                                               \
      .Attr("sparse_gradient: bool = false")                                                     \
      .HostMemory({"num_segments"})                                                              \
      .Doc("Returns num_segments rows; row i is " what                                           \
           " the rows of data at those positions in `indices` that have the id i in "            \
           "segment_ids, or zeros if there are none. segment_ids is a vector as long as "        \
           "`indices`, in ascending order. Error: an index is out of range; the ids are not in " \
           "ascending order, are negative or not below num_segments; `indices` and segment_ids " \
           "are not vectors of the same length; data is a scalar; num_segments is not one.")     \
      .Shape(SparseSegmentWithNumSegmentsShape)                                                  \
      .Gradient(SparseSegmentGradient)

RAMET_SPARSE_SEGMENT_WITH_NUM_SEGMENTS("SparseSegmentSum", "realnumbertype", "the sum of")
    .CpuKernels<RAMET_REALS>([]<class T>(KernelContext& c) {
      return SparseSegment<T, SegmentCombiner::kSum>(c);
    });
RAMET_SPARSE_SEGMENT_WITH_NUM_SEGMENTS("SparseSegmentMean", "{bfloat16, half, float, double}",
                                       "the mean of")
    .CpuKernels<RAMET_FLOATS>([]<class T>(KernelContext& c) {
      return SparseSegment<T, SegmentCombiner::kMean>(c);
    });
RAMET_SPARSE_SEGMENT_WITH_NUM_SEGMENTS(
    "SparseSegmentSqrtN", "{bfloat16, half, float, double}",
    "the sum, divided by the square root of the number of rows, of")
    .CpuKernels<RAMET_FLOATS>([]<class T>(KernelContext& c) {
      return SparseSegment<T, SegmentCombiner::kSqrtN>(c);
    });

#define RAMET_SPARSE_SEGMENT_GRAD(name, combiner)                                                 \
  RAMET_OP(name "Grad")                                                                           \
      .Input("grad: T")                                                                           \
      .Input("indices: Tidx")                                                                     \
      .Input("segment_ids: Tsegmentids")                                                          \
      .Input("output_dim0: int32")                                                                \
      .Output("output: T")                                                                        \
      .Attr("T: {bfloat16, half, float, double}")                                                 \
      .Attr("Tidx: {int32, int64} = int32")                                                       \
      .Attr("Tsegmentids: {int32, int64} = int32")                                                \
      .HostMemory({"output_dim0"})                                                                \
      .Doc("Returns the gradient of " name                                                        \
           " for data with output_dim0 rows. Error: an index or id is out of range; output_dim0 " \
           "is not a scalar or is negative; `indices` and segment_ids are not vectors of the "    \
           "same length.")                                                                        \
      .Shape(SparseSegmentGradShape)                                                              \
      .CpuKernels<float, double, Half, BFloat16>([]<class T>(KernelContext& c) {                  \
        return SparseSegmentGrad<T, SegmentCombiner::combiner>(c);                                \
      })

RAMET_SPARSE_SEGMENT_GRAD("SparseSegmentSum", kSum);
RAMET_SPARSE_SEGMENT_GRAD("SparseSegmentMean", kMean);
RAMET_SPARSE_SEGMENT_GRAD("SparseSegmentSqrtN", kSqrtN);

}  // namespace ramet
