#include "ramet/ops/math/segment.h"

#include <cstring>

#include "ramet/linalg/elementwise.h"
#include "ramet/op/op.h"
#include "ramet/op/tensor_math.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"

// UnsortedSegmentSum: sums of rows with the same id.

namespace ramet {
namespace {

Status CheckSegments(const Shape& data, const Shape& ids, const Tensor& num_segments) {
  if (num_segments.rank() != 0) {
    return InvalidArgument("num_segments should be a scalar, not shape ", num_segments.shape());
  }
  if (IntegerAt(num_segments, 0) < 0) {
    return InvalidArgument("Input num_segments == ", IntegerAt(num_segments, 0),
                           " must not be negative.");
  }
  if (data.rank() >= ids.rank() && data.Slice(0, ids.rank()) == ids) return OkStatus();
  return InvalidArgument("data.shape = ", data, " does not start with segment_ids.shape = ", ids);
}

template <class T>
Status UnsortedSegmentSum(KernelContext& c) {
  const Tensor& data = c.input(0);
  const Tensor& ids = c.input(1);
  RAMET_RETURN_IF_ERROR(CheckSegments(data.shape(), ids.shape(), c.input(2)));
  const int64_t segments = IntegerAt(c.input(2), 0);
  Shape shape{segments};
  for (int d = ids.rank(); d < data.rank(); ++d) shape.Append(data.dim(d));
  RAMET_ASSIGN_OR_RETURN(Tensor * sums, c.Allocate(0, data.dtype(), shape));
  RAMET_RETURN_IF_ERROR(FillZeros(*sums));
  const int64_t row = Product(data.shape(), ids.rank(), data.rank());
  if (const DeviceMath* math = DeviceMath::Of(*sums)) {
    return math->UpdateRows(RowUpdate::kAdd, segments, row, ids, data, *sums);
  }
  const T* x = data.data<T>();
  T* y = sums->mutable_data<T>();
  for (int64_t i = 0; i < ids.num_elements(); ++i) {
    const int64_t segment = IntegerAt(ids, i);
    if (segment < 0) continue;
    if (segment >= segments) {
      return InvalidArgument("segment_ids[", i, "] = ", segment, " is out of range [0, ", segments,
                             ")");
    }
    linalg::AddTo(linalg::TypeOf<T>, x + i * row, y + segment * row, row);
  }
  return OkStatus();
}

// Returns `test`, which has the shape of the ids, with dimensions of size 1 appended until it has
// the rank of `rows`.
Output WithRankOf(GradientContext& c, const Output& test, const Output& rows) {
  Output shape = ShapeOf(c, test);
  Output rows_rank = RankOf(c, rows);
  Output missing = rows_rank - RankOf(c, test);
  Output packed = c.Add("Pack", {missing}, {{"N", 1}}, "ones/packed");
  Output one = Constant(c.graph(), Tensor(int32_t{1}), "ones/Const");
  Output ones = c.Add("Fill", {packed, one}, {}, "ones");
  return Reshape(c, test, c.Add("ConcatV2", {shape, ones, 0}, {{"N", 2}}, "concat"));
}

// Each row gets the gradient of its segment; rows with a negative id get zeros.
Status UnsortedSegmentSumGradient(GradientContext& c) {
  Output ids = c.input(1), grad = c.grad();
  Output zero_ids = ZerosLike(c, ids);
  Output at = c.Add("Maximum", {ids, zero_ids});
  Output rows = c.Add("GatherV2", {grad, at, 0});
  Output counted = WithRankOf(c, c.Add("GreaterEqual", {ids, 0}), rows);
  Output everywhere = OnesLike(c, rows, kBool);
  Output chosen = c.Add("LogicalAnd", {counted, everywhere}, {}, "and");
  Output zeros = ZerosLike(c, rows);
  return c.Return({c.Add("SelectV2", {chosen, rows, zeros}), Gradient(), Gradient()});
}

RAMET_OP("UnsortedSegmentSum")
    .Input("data: T")
    .Input("segment_ids: Tindices")
    .Input("num_segments: Tnumsegments")
    .Output("output: T")
    .Attr("T: numbertype")
    .Attr("Tindices: {int16, int32, int64}")
    .Attr("Tnumsegments: {int32, int64} = int32")
    .HostMemory({"num_segments"})
    .Doc(
        "Returns a tensor of num_segments rows; row i is the sum of the rows of `data` with id i, "
        "and zeros if there are none. Rows with a negative id are ignored. The shape of `data` "
        "must start with that of segment_ids; the remaining dimensions are the shape of a row. "
        "Error: the shape of `data` does not start with that of segment_ids; num_segments is not a "
        "scalar or is negative; an id is num_segments or greater.")
    .Shape(UnsortedSegmentShape)
    .Gradient(UnsortedSegmentSumGradient)
    .CpuKernels<RAMET_NUMBERS>([]<class T>(KernelContext& c) { return UnsortedSegmentSum<T>(c); });

}  // namespace

Status UnsortedSegmentShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  const Shape& data = c.input(0);
  const Shape& ids = c.input(1);
  if (data.unknown_rank() || ids.unknown_rank()) return OkStatus();
  if (data.rank() < ids.rank() || !data.Slice(0, ids.rank()).IsCompatibleWith(ids)) {
    return InvalidArgument("data.shape = ", data, " does not start with segment_ids.shape = ", ids);
  }
  const Tensor* segments = c.constant(2);
  if (segments != nullptr && IntegerAt(*segments, 0) < 0) {
    return InvalidArgument("Dimension size, given by scalar input 2, must be non-negative but is ",
                           IntegerAt(*segments, 0));
  }
  Shape shape{segments ? IntegerAt(*segments, 0) : Shape::kUnknownDim};
  for (int d = ids.rank(); d < data.rank(); ++d) shape.Append(data.dim(d));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

}  // namespace ramet
