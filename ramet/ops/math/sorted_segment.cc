#include <algorithm>
#include <limits>

#include "ramet/op/device_rows.h"
#include "ramet/op/op.h"
#include "ramet/op/tensor_math.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/segment.h"
#include "ramet/ops/math/types.h"
#include "ramet/ops/math/wrapping.h"

// Combines the rows with the same id into one: sums, means, products, largest and smallest
// elements. The ids of the Segment ops must be in ascending order; those of the UnsortedSegment ops
// need not be.

namespace ramet {
namespace {

enum class Kind { kSum, kMean, kProd, kMax, kMin };

template <class T>
auto Wide(T x) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return static_cast<float>(x);
  } else {
    return x;
  }
}

// Returns the largest finite number.
template <class T>
T Highest() {
  if constexpr (std::is_same_v<T, Half>) {
    return T(65504.0f);
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return T(3.3895314e38f);
  } else {
    return std::numeric_limits<T>::max();
  }
}

// Returns the value of a segment without rows.
template <Kind kKind, class T>
T Start() {
  if constexpr (kKind == Kind::kProd) return T(1);
  if constexpr (kKind == Kind::kMin) return Highest<T>();
  if constexpr (kKind == Kind::kMax) {
    if constexpr (std::is_integral_v<T>) {
      return std::numeric_limits<T>::lowest();
    } else {
      return static_cast<T>(-Wide(Highest<T>()));
    }
  }
  return T(0);
}

template <Kind kKind, class T>
T Combine(T a, T b) {
  const auto x = Wide(a), y = Wide(b);
  if constexpr (kKind == Kind::kProd) return WrappingMul(a, b);
  if constexpr (kKind == Kind::kMax) return T(y > x ? y : x);
  if constexpr (kKind == Kind::kMin) return T(y < x ? y : x);
  if constexpr (kKind == Kind::kSum || kKind == Kind::kMean) return WrappingAdd(a, b);
}

template <Kind kKind, class T>
void AddRow(const T* row, int64_t n, T* segment) {
  for (int64_t i = 0; i < n; ++i) segment[i] = Combine<kKind>(segment[i], row[i]);
}

template <class T>
void DivideRow(int64_t count, int64_t n, T* row) {
  using W = decltype(Wide(T()));
  for (int64_t i = 0; i < n; ++i) row[i] = static_cast<T>(Wide(row[i]) / static_cast<W>(count));
}

Shape SegmentsShape(int64_t segments, const Shape& data, int first) {
  Shape shape{segments};
  for (int d = first; d < data.rank(); ++d) shape.Append(data.dim(d));
  return shape;
}

Status CheckSorted(const Tensor& data, const Tensor& ids) {
  if (data.rank() < 1) return InvalidArgument("input must be at least rank 1");
  if (ids.rank() != 1) return InvalidArgument("segment_ids should be a vector.");
  if (ids.dim(0) != data.dim(0)) {
    return InvalidArgument("segment_ids should be the same size as dimension 0 of input.");
  }
  return OkStatus();
}

// Checks that the ids are in ascending order and in [0, segments).
// \error kInvalidArgument: they are not.
Status CheckOrder(const Tensor& ids, int64_t segments) {
  const int64_t n = ids.num_elements();
  for (int64_t i = 0; i < n; ++i) {
    const int64_t id = IntegerAt(ids, i);
    if (i + 1 < n && IntegerAt(ids, i + 1) < id) {
      return InvalidArgument("segment ids are not increasing");
    }
    if (id < 0 || id >= segments) {
      return InvalidArgument("Segment id ", id, " out of range [0, ", segments,
                             "), possibly because 'segment_ids' input is not sorted.");
    }
  }
  return OkStatus();
}

// Returns where the rows of each segment start, followed by the number of rows.
StatusOr<Tensor> StartsOf(const Tensor& ids, int64_t segments) {
  RAMET_ASSIGN_OR_RETURN(Tensor starts,
                         Tensor::Allocate(kInt64, Shape{segments + 1}, HostAllocator()));
  int64_t* const start = starts.mutable_data<int64_t>();
  const int64_t rows = ids.num_elements();
  int64_t row = 0;
  for (int64_t s = 0; s <= segments; ++s) {
    while (row < rows && IntegerAt(ids, row) < s) ++row;
    start[s] = row;
  }
  return starts;
}

linalg::ReduceOp ReduceOpOf(Kind kind) {
  switch (kind) {
    case Kind::kMean: return linalg::ReduceOp::kMean;
    case Kind::kProd: return linalg::ReduceOp::kProd;
    case Kind::kMax: return linalg::ReduceOp::kMax;
    case Kind::kMin: return linalg::ReduceOp::kMin;
    default: return linalg::ReduceOp::kSum;
  }
}

template <Kind kKind, class T>
Status SortedSegments(KernelContext& c) {
  const Tensor& data = c.input(0);
  const Tensor& ids = c.input(1);
  RAMET_RETURN_IF_ERROR(CheckSorted(data, ids));
  const int64_t rows = ids.num_elements();
  const int64_t last = rows > 0 ? IntegerAt(ids, rows - 1) : -1;
  if (rows > 0 && (last < 0 || last == std::numeric_limits<int64_t>::max())) {
    return InvalidArgument("segment ids must be >= 0");
  }
  const int64_t segments = last + 1;
  RAMET_RETURN_IF_ERROR(CheckOrder(ids, segments));
  RAMET_ASSIGN_OR_RETURN(Shape shape, Shape::Make(SegmentsShape(segments, data.shape(), 1).dims()));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, data.dtype(), shape));
  if (y->num_elements() == 0) return OkStatus();
  if (const DeviceRows* device = DeviceRows::Of(*y)) {
    RAMET_ASSIGN_OR_RETURN(const Tensor starts, StartsOf(ids, segments));
    return device->CombineSegments(ReduceOpOf(kKind), starts, data, *y);
  }
  const int64_t n = Product(data.shape(), 1, data.rank());
  // Fills segments that have no rows.
  std::fill_n(y->mutable_data<T>(), y->num_elements(), kKind == Kind::kProd ? T(1) : T(0));
  for (int64_t begin = 0, end; begin < rows; begin = end) {
    const int64_t id = IntegerAt(ids, begin);
    for (end = begin + 1; end < rows && IntegerAt(ids, end) == id;) ++end;
    T* segment = y->mutable_data<T>() + id * n;
    std::copy_n(data.data<T>() + begin * n, n, segment);
    for (int64_t row = begin + 1; row < end; ++row) {
      AddRow<kKind>(data.data<T>() + row * n, n, segment);
    }
    if constexpr (kKind == Kind::kMean) DivideRow(end - begin, n, segment);
  }
  return OkStatus();
}

template <Kind kKind, class T>
Status UnsortedSegments(KernelContext& c) {
  const Tensor& data = c.input(0);
  const Tensor& ids = c.input(1);
  if (c.input(2).rank() != 0) {
    return InvalidArgument("num_segments should be a scalar, not shape ", c.input(2).shape());
  }
  const int64_t segments = IntegerAt(c.input(2), 0);
  if (segments < 0) {
    return InvalidArgument("Input num_segments == ", segments, " must not be negative.");
  }
  if (data.rank() < ids.rank() || data.shape().Slice(0, ids.rank()) != ids.shape()) {
    return InvalidArgument("data.shape = ", data.shape(),
                           " does not start with segment_ids.shape = ", ids.shape());
  }
  RAMET_ASSIGN_OR_RETURN(Shape shape,
                         Shape::Make(SegmentsShape(segments, data.shape(), ids.rank()).dims()));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, data.dtype(), shape));
  Tensor start(data.dtype(), Shape());
  *start.mutable_data<T>() = Start<kKind, T>();
  RAMET_RETURN_IF_ERROR(FillWith(start, *y));
  const int64_t n = Product(data.shape(), ids.rank(), data.rank());
  if (const DeviceMath* math = DeviceMath::Of(*y)) {
    constexpr RowUpdate update = kKind == Kind::kProd  ? RowUpdate::kMul
                                 : kKind == Kind::kMax ? RowUpdate::kMax
                                                       : RowUpdate::kMin;
    return math->UpdateRows(update, segments, n, ids, data, *y);
  }
  for (int64_t i = 0; i < ids.num_elements(); ++i) {
    const int64_t id = IntegerAt(ids, i);
    if (id < 0) continue;
    if (id >= segments) {
      return InvalidArgument("segment_ids[", i, "] = ", id, " is out of range [0, ", segments, ")");
    }
    AddRow<kKind>(data.data<T>() + i * n, n, y->mutable_data<T>() + id * n);
  }
  return OkStatus();
}

template <Kind kKind>
struct SortedKernel {
  template <class T>
  Status operator()(KernelContext& c) const {
    return SortedSegments<kKind, T>(c);
  }
};
template <Kind kKind>
struct UnsortedKernel {
  template <class T>
  Status operator()(KernelContext& c) const {
    return UnsortedSegments<kKind, T>(c);
  }
};

Status SortedShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape data, c.WithRankAtLeast(0, 1));
  RAMET_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  if (data.unknown_rank()) return OkStatus();
  data.set_dim(0, Shape::kUnknownDim);
  c.set_output(0, std::move(data));
  return OkStatus();
}

Output RowsOf(GradientContext& c, const Output& segments, const Output& ids) {
  return c.Add("GatherV2", {segments, ids, 0});
}

Status SumGradient(GradientContext& c) {
  return c.Return({RowsOf(c, c.grad(), c.input(1)), Gradient()});
}

Status MeanGradient(GradientContext& c) {
  Output grad = c.grad(), ids = c.input(1);
  Output missing = RankOf(c, c.input(0)) - 1;
  Output count = c.Add("ExpandDims", {missing, 0});
  Output ids_shape = ShapeOf(c, ids);
  Output ones =
      c.Add("Fill", {count, Constant(c.graph(), Tensor(int32_t{1}), "ones/Const")}, {}, "ones");
  Output shape = c.Add("ConcatV2", {ids_shape, ones, 0}, {{"N", 2}}, "concat");
  Output one = ScalarLike(c, grad.dtype(), 1, "ones_1/Const");
  Output counted = c.Add("SegmentSum", {c.Add("Fill", {shape, one}, {}, "ones_1"), ids});
  return c.Return({RowsOf(c, grad / counted, ids), Gradient()});
}

// Equal largest (or smallest) rows share the gradient of their segment.
Status MinOrMaxGradient(GradientContext& c) {
  Output grad = c.grad(), data = c.input(0), ids = c.input(1);
  Output zeros = ZerosLike(c, data);
  Output taken = c.Add("Equal", {data, RowsOf(c, c.output(), ids)});
  Output number = c.Add("SegmentSum", {Cast(c, taken, data.dtype()), ids});
  Output shares = RowsOf(c, grad / number, ids);
  return c.Return({c.Add("SelectV2", {taken, shares, zeros}), Gradient()});
}

Status ProdGradient(GradientContext& c) {
  Output grad = c.grad(), data = c.input(0), ids = c.input(1);
  Output zero = ScalarLike(c, data.dtype(), 0, "Equal/y");
  Output is_zero = c.Add("Equal", {data, zero});
  Output zeros = c.Add("SegmentSum", {Cast(c, is_zero, kInt32), ids});
  Output several = c.Add("Greater", {zeros, 1});
  Output left = c.Add("SelectV2", {several, c.Add("ZerosLike", {grad}, {}, "zeros_like"), grad});
  Output nonzero = c.Add("SelectV2", {is_zero, OnesLike(c, data), data});
  Output nonzero_products = c.Add("SegmentProd", {nonzero, ids});
  Output products = RowsOf(c, c.output(), ids);
  Output others = RowsOf(c, nonzero_products, ids);
  Output slope = c.Add("SelectV2", {is_zero, others, products / nonzero});
  return c.Return({RowsOf(c, left, ids) * slope, Gradient()});
}

// The rows of segments for ids that may be negative: zeros for negative ids, which `counted`
// excludes.
struct Gathered {
  Output rows, at, counted;
};

Gathered RowsOrZeros(GradientContext& c, const Output& segments, Output at, Output counted) {
  Output ids = c.input(1);
  if (!at.valid()) at = c.Add("Maximum", {ids, ZerosLike(c, ids)});
  Output rows = c.Add("GatherV2", {segments, at, 0});
  if (!counted.valid()) {
    Output positive = c.Add("GreaterEqual", {ids, 0});
    Output shape = ShapeOf(c, positive);
    Output missing = RankOf(c, rows) - RankOf(c, positive);
    Output packed = c.Add("Pack", {missing}, {{"N", 1}}, "ones/packed");
    Output ones =
        c.Add("Fill", {packed, Constant(c.graph(), Tensor(int32_t{1}), "ones/Const")}, {}, "ones");
    Output spread = Reshape(c, positive, c.Add("ConcatV2", {shape, ones, 0}, {{"N", 2}}, "concat"));
    counted = c.Add("LogicalAnd", {spread, OnesLike(c, rows, kBool)}, {}, "and");
  }
  Output zeros = ZerosLike(c, rows);
  return {c.Add("SelectV2", {counted, rows, zeros}), at, counted};
}

Status UnsortedMinOrMaxGradient(GradientContext& c) {
  Output grad = c.grad(), data = c.input(0);
  Gathered best = RowsOrZeros(c, c.output(), Output(), Output());
  Output equal = c.Add("Equal", {data, best.rows});
  Output taken = c.Add("LogicalAnd", {equal, best.counted});
  Output number =
      c.Add("UnsortedSegmentSum", {Cast(c, taken, data.dtype()), c.input(1), c.input(2)});
  Gathered shares = RowsOrZeros(c, grad / number, best.at, best.counted);
  Output zeros = ZerosLike(c, shares.rows);
  return c.Return({c.Add("SelectV2", {taken, shares.rows, zeros}), Gradient(), Gradient()});
}

Status UnsortedProdGradient(GradientContext& c) {
  Output grad = c.grad(), data = c.input(0), ids = c.input(1), segments = c.input(2);
  Output zero = ScalarLike(c, data.dtype(), 0, "Equal/y");
  Output is_zero = c.Add("Equal", {data, zero});
  Output zeros = c.Add("UnsortedSegmentSum", {Cast(c, is_zero, kInt32), ids, segments});
  Output several = c.Add("Greater", {zeros, 1});
  Output left = c.Add("SelectV2", {several, ZerosLike(c, grad), grad});
  Output nonzero = c.Add("SelectV2", {is_zero, OnesLike(c, data), data});
  Output nonzero_products = c.Add("UnsortedSegmentProd", {nonzero, ids, segments});
  Output at = c.Add("Maximum", {ids, ZerosLike(c, ids)});
  Output products = c.Add("GatherV2", {c.output(), at, 0});
  Output others = c.Add("GatherV2", {nonzero_products, at, 0});
  Output slope = c.Add("SelectV2", {is_zero, others, products / data});
  Output rows = RowsOrZeros(c, left, at, Output()).rows;
  return c.Return({rows * slope, Gradient(), Gradient()});
}

#define RAMET_SEGMENT_OP(name, kind, attr, ...) \
  RAMET_OP(name)                                \
      .Input("data: T")                         \
      .Input("segment_ids: Tindices")           \
      .Output("output: T")                      \
      .Attr(attr)                               \
      .Attr("Tindices: {int32, int64}")         \
      .HostMemory({"segment_ids"})              \
      .Shape(SortedShape)                       \
      .CpuKernels<__VA_ARGS__>(SortedKernel<Kind::kind>())
#define RAMET_UNSORTED_SEGMENT_OP(name, kind, attr, ...) \
  RAMET_OP(name)                                         \
      .Input("data: T")                                  \
      .Input("segment_ids: Tindices")                    \
      .Input("num_segments: Tnumsegments")               \
      .Output("output: T")                               \
      .Attr(attr)                                        \
      .Attr("Tindices: {int32, int64}")                  \
      .Attr("Tnumsegments: {int32, int64} = int32")      \
      .HostMemory({"num_segments"})                      \
      .Shape(UnsortedSegmentShape)                       \
      .CpuKernels<__VA_ARGS__>(UnsortedKernel<Kind::kind>())
#define RAMET_SEGMENT_DOC(what, nothing)                                                         \
  "Returns, for each id from 0 to the last in segment_ids, the " what                            \
  " of the rows of data with that id, or " nothing                                               \
  " if there are none. segment_ids is a vector as long as dimension 0 of data, in ascending "    \
  "order. Error: the ids are not in ascending order or are negative; segment_ids does not have " \
  "that length; data is a scalar."
#define RAMET_UNSORTED_DOC(what, nothing)                                                          \
  "Returns num_segments rows; row i is the " what " of the rows of data with id i, or " nothing    \
  " if there are none. Rows with a negative id are ignored. The shape of data must start with "    \
  "that of segment_ids; the remaining dimensions are the shape of a row. Error: the shape of "     \
  "data does not start with that of segment_ids; num_segments is not a scalar or is negative; an " \
  "id is num_segments or greater."
RAMET_SEGMENT_OP("SegmentSum", kSum, "T: numbertype", RAMET_NUMBERS)
    .Doc(RAMET_SEGMENT_DOC("sum", "0"))
    .Gradient(SumGradient);
RAMET_SEGMENT_OP("SegmentMean", kMean, "T: numbertype", RAMET_NUMBERS)
    .Doc(RAMET_SEGMENT_DOC("mean", "0"))
    .Gradient(MeanGradient);
RAMET_SEGMENT_OP("SegmentProd", kProd, "T: numbertype", RAMET_NUMBERS)
    .Doc(RAMET_SEGMENT_DOC("product", "1"))
    .Gradient(ProdGradient);
RAMET_SEGMENT_OP("SegmentMax", kMax, "T: realnumbertype", RAMET_REALS)
    .Doc(RAMET_SEGMENT_DOC("largest element of each column", "0"))
    .Gradient(MinOrMaxGradient);
RAMET_SEGMENT_OP("SegmentMin", kMin, "T: realnumbertype", RAMET_REALS)
    .Doc(RAMET_SEGMENT_DOC("smallest element of each column", "0"))
    .Gradient(MinOrMaxGradient);
RAMET_UNSORTED_SEGMENT_OP("UnsortedSegmentProd", kProd, "T: numbertype", RAMET_NUMBERS)
    .Doc(RAMET_UNSORTED_DOC("product", "1"))
    .Gradient(UnsortedProdGradient);
RAMET_UNSORTED_SEGMENT_OP("UnsortedSegmentMax", kMax, "T: realnumbertype", RAMET_REALS)
    .Doc(RAMET_UNSORTED_DOC("largest element of each column", "the lowest number"))
    .Gradient(UnsortedMinOrMaxGradient);
RAMET_UNSORTED_SEGMENT_OP("UnsortedSegmentMin", kMin, "T: realnumbertype", RAMET_REALS)
    .Doc(RAMET_UNSORTED_DOC("smallest element of each column", "the highest number"))
    .Gradient(UnsortedMinOrMaxGradient);

}  // namespace
}  // namespace ramet
