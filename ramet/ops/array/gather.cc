#include <algorithm>

#include "ramet/gradients/scopes.h"
#include "ramet/op/op.h"
#include "ramet/op/tensor_math.h"
#include "ramet/ops/array/grad_util.h"
#include "ramet/ops/array/indices.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/array/shape_fn.h"
#include "ramet/ops/state/handle.h"

namespace ramet {
namespace {

Status GatherObjects(const GatherSizes& s, const Tensor& params, const Tensor& indices, Tensor& y) {
  for (int64_t i = 0; i < s.batch * s.outer * s.picks; ++i) {
    const int64_t pick = i % s.picks, bo = i / s.picks;
    const int64_t at = bo / s.outer * s.picks + pick, row = IntegerAt(indices, at);
    if (row < 0 || row >= s.rows) return IndexOutside(indices, at, s.rows);
    CopyElements(params, (bo * s.rows + row) * s.inner, y, i * s.inner, s.inner);
  }
  return OkStatus();
}

Status GatherInto(const GatherSizes& s, const Tensor& params, const Tensor& indices, Tensor& y) {
  if (const DeviceMath* math = DeviceMath::Of(y)) return math->GatherRows(s, params, indices, y);
  if (DTypeSize(params.dtype()) == 0) return GatherObjects(s, params, indices, y);
  const int64_t width = static_cast<int64_t>(DTypeSize(params.dtype()));
  const int64_t row_bytes = s.inner * width;
  const int64_t index_bytes = static_cast<int64_t>(DTypeSize(indices.dtype()));
  for (int64_t b = 0; b < s.batch; ++b) {
    const int64_t bad = linalg::GatherRows(
        LinalgType(indices.dtype()), s.outer, s.rows, row_bytes,
        static_cast<const char*>(params.raw_data()) + b * s.outer * s.rows * row_bytes, s.picks,
        static_cast<const char*>(indices.raw_data()) + b * s.picks * index_bytes,
        static_cast<char*>(y.raw_data()) + b * s.outer * s.picks * row_bytes);
    if (bad >= 0) return IndexOutside(indices, b * s.picks + bad, s.rows);
  }
  return OkStatus();
}

// Checks the bounds of indices if there are no elements to move.
Status CheckIndices(const Tensor& indices, int64_t rows) {
  for (int64_t i = 0; i < indices.num_elements(); ++i) {
    const int64_t at = IntegerAt(indices, i);
    if (at < 0 || at >= rows) return IndexOutside(indices, i, rows);
  }
  return OkStatus();
}

StatusOr<int> BatchDims(int64_t batch_dims, int params_rank, int indices_rank) {
  if (batch_dims < 0) batch_dims += indices_rank;
  if (batch_dims < 0 || batch_dims > indices_rank) {
    return InvalidArgument("Expected batch_dims in the range [-", indices_rank, ", ", indices_rank,
                           "], but got ", batch_dims);
  }
  if (batch_dims > 0 && batch_dims >= params_rank) {
    return InvalidArgument("batch_dims (", batch_dims, ") must be less than rank(params) (",
                           params_rank, ").");
  }
  return static_cast<int>(batch_dims);
}

// Returns the shape of a gather along `axis`. The ranks must be known; dimensions may be unknown.
StatusOr<Shape> GatheredShape(const Shape& params, const Shape& indices, int axis, int batch_dims) {
  if (axis < batch_dims) {
    return InvalidArgument("batch_dims (", batch_dims, ") must be less than or equal to axis (",
                           axis, ").");
  }
  for (int i = 0; i < batch_dims; ++i) {
    if (params.dim(i) >= 0 && indices.dim(i) >= 0 && params.dim(i) != indices.dim(i)) {
      return InvalidArgument("params.shape[", i, "]: ", params.dim(i),
                             " should be equal to indices.", "shape[", i, "]: ", indices.dim(i));
    }
  }
  return params.Slice(0, axis)
      .Concatenate(indices.Slice(batch_dims, indices.rank()))
      .Concatenate(params.Slice(axis + 1, params.rank()));
}

class GatherKernel final : public Kernel {
 public:
  static std::unique_ptr<GatherKernel> Make(const KernelNode& node) {
    const bool by_handle = node.op.starts_with("Resource");
    return std::make_unique<GatherKernel>(node.attrs->GetOr<int64_t>("batch_dims", 0),
                                          by_handle ? node.output_types[0] : DType::kInvalid);
  }
  GatherKernel(int64_t batch_dims, DType handle_type)
      : batch_dims_(batch_dims), handle_type_(handle_type) {}

  Status Compute(KernelContext& c) override {
    if (handle_type_ == DType::kInvalid) return GatherFrom(c, c.input(0));
    RAMET_ASSIGN_OR_RETURN(const Tensor params, ReadHandle(c, 0, handle_type_));
    return GatherFrom(c, params);
  }

 private:
  Status GatherFrom(KernelContext& c, const Tensor& params) const {
    if (params.rank() < 1) return InvalidArgument("params must be at least 1 dimensional");
    int64_t asked = handle_type_ == DType::kInvalid ? 0 : std::max(batch_dims_, int64_t{0});
    if (c.num_inputs() > 2) {
      if (c.input(2).rank() != 0) return InvalidArgument("axis must be scalar");
      asked = IntegerAt(c.input(2), 0);
    }
    RAMET_ASSIGN_OR_RETURN(int axis, AxisArg(asked, params.rank(), "axis"));
    RAMET_ASSIGN_OR_RETURN(int batch, BatchDims(batch_dims_, params.rank(), c.input(1).rank()));
    RAMET_ASSIGN_OR_RETURN(Shape shape,
                           GatheredShape(params.shape(), c.input(1).shape(), axis, batch));
    RAMET_ASSIGN_OR_RETURN(shape, Shape::Make(shape.dims()));
    const bool narrow = c.input(1).dtype() == DType::kInt16;
    RAMET_ASSIGN_OR_RETURN(Tensor indices,
                           WithIndexType(c.input(1), narrow ? DType::kInt32 : c.input(1).dtype()));
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, params.dtype(), shape));
    const Shape& p = params.shape();
    if (y->num_elements() == 0) {
      // Like TensorFlow, only the op for variables looks at indices that gather nothing.
      const bool checks = handle_type_ != DType::kInvalid && DeviceMath::Of(*y) == nullptr;
      return checks ? CheckIndices(indices, p.dim(axis)) : OkStatus();
    }
    const GatherSizes sizes = {Product(p, 0, batch), Product(p, batch, axis), p.dim(axis),
                               Product(p, axis + 1, p.rank()),
                               Product(indices.shape(), batch, indices.rank())};
    return GatherInto(sizes, params, indices, *y);
  }

  const int64_t batch_dims_;
  const DType handle_type_;  // of the variable that input 0 names; kInvalid if input 0 is params
};

Status ShapeOfGather(ShapeContext& c, const Shape& params, int64_t axis_of_others = 0) {
  const Shape& indices = c.input(1);
  if (params.unknown_rank() || indices.unknown_rank()) return OkStatus();
  RAMET_ASSIGN_OR_RETURN(int batch, BatchDims(c.attrs().GetOr<int64_t>("batch_dims", 0),
                                              params.rank(), indices.rank()));
  auto asked = c.num_inputs() > 2 ? KnownScalar(c, 2) : std::optional<int64_t>(axis_of_others);
  if (!asked) {
    c.set_output(0, Shape::OfRank(params.rank() - 1 + indices.rank() - batch));
    return OkStatus();
  }
  RAMET_ASSIGN_OR_RETURN(int axis, AxisArg(*asked, params.rank(), "axis"));
  RAMET_ASSIGN_OR_RETURN(Shape shape, GatheredShape(params, indices, axis, batch));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status GatherShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape params, c.WithRankAtLeast(0, 1));
  return ShapeOfGather(c, params);
}

Status ResourceGatherShape(ShapeContext& c) {
  const Shape params = c.handle(0).second;
  if (params.rank() == 0) return InvalidArgument("a scalar variable has no rows to gather");
  return ShapeOfGather(c, params, c.attrs().GetOr<int64_t>("batch_dims", 0));
}

// Returns the gradient as IndexedSlices of the rows of params that were gathered.
Gradient RowsGradient(GradientContext& c, const Output& params_shape) {
  const Output count = c.Add("ExpandDims", {SizeOf(c, c.input(1)), Tensor(int32_t{0})});
  const Output rows = ConcatVectors(c, {count, SliceFrom(c, params_shape, 1)});
  Gradient grad;
  grad.values = c.Add("Reshape", {c.grad(), rows});
  grad.indices = c.Add("Reshape", {c.input(1), count});
  grad.dense_shape = params_shape;
  return grad;
}

Output RangeOf(GradientContext& c, const Input& from, const Input& to) {
  return c.Add("Range", {from, to, Tensor(int32_t{1})}, {}, "range");
}

// Builds the gradient of a gather along an axis other than 0.
struct AxisGradient {
  GradientContext& c;
  Output params_shape;
  int64_t batch_dims;

  // Returns `indices` with the offset of its batch added to each, so that the batches can be
  // flattened.
  Output BatchIndices(Output indices, const Output& shape) const {
    const Output sizes = c.Add("Cast", {shape}, {{"DstT", indices.dtype()}});
    Output stride = c.Add("Cast", {Tensor(int32_t{1})}, {{"DstT", indices.dtype()}});
    for (int d = static_cast<int>(batch_dims); d > 0; --d) {
      stride = c.Add("Mul", {stride, ElementAt(c, sizes, d)}, {}, "mul");
      const Output count = ElementAt(c, shape, d - 1);
      Output offsets =
          c.Add("Cast", {RangeOf(c, Tensor(int32_t{0}), count)}, {{"DstT", indices.dtype()}});
      offsets = c.Add("Mul", {offsets, stride}, {}, "mul");
      const Output trailing = c.Add("Sub", {RankOf(c, indices), Tensor(int32_t{d})}, {}, "sub");
      const Output ones = c.Add(
          "Fill", {c.Add("Reshape", {trailing, Tensor::Vector<int32_t>({1})}), Tensor(int32_t{1})});
      std::vector<int32_t> leading(d - 1, 1);
      const Output dims = ConcatVectors(
          c,
          {Tensor::Vector(leading), c.Add("Reshape", {count, Tensor::Vector<int32_t>({1})}), ones});
      indices = c.Add("AddV2", {indices, c.Add("Reshape", {offsets, dims})}, {}, "add");
    }
    return indices;
  }

  // Returns the gradient of params with the gathered dimension moved to `batch_dims`.
  Output Sum(Output values, const Output& shape, Output rows) const {
    const Output count = c.Add("ExpandDims", {SizeOf(c, c.input(1)), Tensor(int32_t{0})});
    if (batch_dims == 0) {
      const Output ids = c.Add("Reshape", {c.input(1), count});
      return c.Add("UnsortedSegmentSum", {values, ids, rows});
    }
    const Output values_shape = ShapeOf(c, values);
    const Output outer = SliceTo(c, values_shape, Tensor(static_cast<int32_t>(batch_dims)));
    const Output inner = SliceFrom(c, values_shape, static_cast<int>(batch_dims) + 1);
    const Output flat = ConcatVectors(c, {Tensor::Vector<int32_t>({-1}), inner});
    rows = c.Add("Mul", {rows, c.Add("Prod", {outer, Tensor::Vector<int32_t>({0})})}, {}, "mul");
    const Output ids = c.Add("Reshape", {BatchIndices(c.input(1), shape), count});
    values = c.Add("Reshape", {values, flat});
    const Output sum = c.Add("UnsortedSegmentSum", {values, ids, rows});
    return c.Add("Reshape", {sum, ConcatVectors(c, {outer, flat})});
  }

  Output Make() const {
    const Output axis32 = c.input(2).dtype() == DType::kInt32
                              ? c.input(2)
                              : c.Add("Cast", {c.input(2)}, {{"DstT", DType::kInt32}});
    const Output axis = c.Add("FloorMod", {axis32, RankOf(c, c.input(0))}, {}, "mod");
    const Output outer = SliceTo(c, params_shape, axis);
    const Output from_axis = c.Add("Reshape", {axis, Tensor::Vector<int32_t>({1})});
    const Output one = Constant(c.graph(), Tensor::Vector<int32_t>({1}));
    const Output rows_vector = c.Add("Slice", {params_shape, from_axis, one});
    const Output inner = c.Add("StridedSlice",
                               {params_shape, c.Add("AddV2", {from_axis, one}, {}, "add"),
                                Tensor::Vector<int32_t>({0}), one},
                               {{"end_mask", 1}});
    const Output values_shape = ConcatVectors(c, {outer, Tensor::Vector<int32_t>({-1}), inner});
    const Output values = c.Add("Reshape", {c.grad(), values_shape});
    return c.Add("Reshape",
                 {MoveAxis(values, axis, rows_vector, SizeOf(c, values_shape)), params_shape});
  }

  Output MoveAxis(const Output& values, const Output& axis, const Output& rows_vector,
                  const Output& rank) const {
    const Tensor batch(static_cast<int32_t>(batch_dims));
    const Output batches = RangeOf(c, Tensor(int32_t{0}), batch);
    const Output between = RangeOf(c, batch, axis);
    const Output next = c.Add("AddV2", {axis, Tensor(int32_t{1})}, {}, "add");
    const Output rest = RangeOf(c, next, rank);
    const Output axis_vector = c.Add("Reshape", {axis, Tensor::Vector<int32_t>({1})});
    const Output there = ConcatVectors(c, {batches, axis_vector, between, rest});
    const Output moved = c.Add("Transpose", {values, there}, {}, "transpose");
    const Output shape = c.Add("GatherV2", {params_shape, there, Tensor(int32_t{0})});
    const Output rows =
        c.Add("Reshape", {rows_vector, Tensor::Vector<int32_t>(std::vector<int32_t>())});
    const Output sum = Sum(moved, shape, rows);
    const Output shifted = c.Add("AddV2", {between, Tensor(int32_t{1})}, {}, "add");
    const Output back = ConcatVectors(
        c, {batches, shifted, Tensor::Vector<int32_t>({static_cast<int32_t>(batch_dims)}), rest});
    return c.Add("Transpose", {sum, back}, {}, "transpose");
  }
};

// Returns the shape of params, computed on the device of params.
Output ParamsShape(GradientContext& c) {
  ColocationIf here(c.graph(), true, c.input(0).op());
  return ShapeOf(c, c.input(0));
}

Status GatherGradient(GradientContext& c) {
  return c.Return({RowsGradient(c, ParamsShape(c)), Gradient()});
}

Status ResourceGatherGradient(GradientContext& c) {
  return c.Return({RowsGradient(c, VariableShapeOf(c, c.input(0))), Gradient()});
}

Status GatherV2Gradient(GradientContext& c) {
  const Output shape = ParamsShape(c);
  const Tensor axis = ConstantValue(c.input(2));
  if (!axis.empty() && axis.num_elements() == 1 && IntegerAt(axis, 0) == 0) {
    return c.Return({RowsGradient(c, shape), Gradient(), Gradient()});
  }
  int64_t batch_dims = c.op().attrs()->GetOr<int64_t>("batch_dims", 0);
  if (batch_dims < -Shape::kMaxRank || batch_dims > Shape::kMaxRank) {
    return InvalidArgument("'", c.op().name(), "' has batch_dims=", batch_dims,
                           ", but a tensor has at most ", Shape::kMaxRank, " dimensions");
  }
  if (batch_dims < 0) {
    const int rank = c.input(1).shape().rank();
    if (rank < 0) {
      return InvalidArgument(
          "the gradient of '", c.op().name(), "' with batch_dims=", batch_dims,
          " needs the rank of the indices, which is unknown when the graph is built; "
          "pass a batch_dims >= 0");
    }
    batch_dims += rank;
  }
  return c.Return({AxisGradient{c, shape, batch_dims}.Make(), Gradient(), Gradient()});
}

}  // namespace

RAMET_OP("Gather")
    .Foldable()
    .Input("params: Tparams")
    .Input("indices: Tindices")
    .Output("output: Tparams")
    .Attr("validate_indices: bool = true")
    .Attr("Tparams: type")
    .Attr("Tindices: {int32, int64}")
    .Doc(
        "Returns the rows (slices along dimension 0) of `params` at `indices`. The result has the "
        "shape of `indices` followed by params.shape[1:]. Error: `params` is a scalar; an index is "
        "out of range (\"indices[0] = 5 is not in [0, 3)\").")
    .Shape(GatherShape)
    .Gradient(GatherGradient)
    .CpuKernelClass<GatherKernel>();

RAMET_OP("GatherV2")
    .Foldable()
    .Input("params: Tparams")
    .Input("indices: Tindices")
    .Input("axis: Taxis")
    .Output("output: Tparams")
    .Attr("batch_dims: int = 0")
    .Attr("Tparams: type")
    .Attr("Tindices: {int16, int32, int64}")
    .Attr("Taxis: {int32, int64}")
    .Doc(
        "Returns the slices of `params` along dimension `axis`, a scalar, at `indices`. In the "
        "shape of the result, the shape of `indices` replaces that dimension. The first batch_dims "
        "dimensions of both inputs are batch dimensions and must be equal; the indices of a batch "
        "select from the params of that batch. Error: `params` is a scalar; an index is out of "
        "range (\"indices[0] = 5 is not in [0, 3)\"); `axis` is not a scalar or is out of range; "
        "batch_dims is out of range or greater than `axis`; the batch dimensions differ.")
    .HostMemory({"axis"})
    .Shape(GatherShape)
    .Gradient(GatherV2Gradient)
    .CpuKernelClass<GatherKernel>();

RAMET_OP("ResourceGather")
    .Input("resource: resource")
    .Input("indices: Tindices")
    .Output("output: dtype")
    .Attr("batch_dims: int = 0")
    .Attr("validate_indices: bool = true")
    .Attr("dtype: type")
    .Attr("Tindices: {int32, int64}")
    .Doc(
        "Returns the rows of a resource variable at `indices`, like Gather on its value. Error: "
        "the variable is a scalar; an index is out of range (\"indices[0] = 5 is not in [0, 3)\"); "
        "the variable has no value (kNotFound).")
    .Shape(ResourceGatherShape)
    .Gradient(ResourceGatherGradient)
    .CpuKernelClass<GatherKernel>();

}  // namespace ramet
