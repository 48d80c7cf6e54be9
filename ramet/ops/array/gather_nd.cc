#include <algorithm>

#include "ramet/linalg/elementwise.h"
#include "ramet/op/op.h"
#include "ramet/op/tensor_math.h"
#include "ramet/ops/array/grad_util.h"
#include "ramet/ops/array/indices.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/array/shape_fn.h"
#include "ramet/ops/state/handle.h"

namespace ramet {
namespace {

Status GatherSlices(KernelContext& c, const Tensor& params, bool ignore_bad) {
  const Tensor& indices = c.input(1);
  if (params.rank() < 1) return InvalidArgument("params must be at least a vector");
  RAMET_ASSIGN_OR_RETURN(NdIndex index, NdIndex::Make(indices, params.shape()));
  if (params.num_elements() == 0 && index.num_tuples() > 0) {
    return InvalidArgument("Requested more than 0 entries, but params is empty.  Params shape: ",
                           params.shape());
  }
  const Shape shape = indices.shape()
                          .Slice(0, indices.rank() - 1)
                          .Concatenate(params.shape().Slice(index.depth(), params.rank()));
  RAMET_ASSIGN_OR_RETURN(Shape checked, Shape::Make(shape.dims()));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, params.dtype(), checked));
  const int64_t n = index.slice_size();
  if (const DeviceMath* math = DeviceMath::Of(*y)) {
    RAMET_ASSIGN_OR_RETURN(const Tensor rows, math->RowsOfTuples(indices, index.dims()));
    return math->GatherRows({1, 1, index.num_slices(), n, index.num_tuples()}, params, rows, *y);
  }
  if (ignore_bad) RAMET_RETURN_IF_ERROR(FillZeros(*y));
  for (int64_t i = 0; i < index.num_tuples(); ++i) {
    const int64_t slice = index(i);
    if (slice < 0 && ignore_bad) continue;
    if (slice < 0) return index.Outside(i, "param shape", params.shape());
    CopyElements(params, slice * n, *y, i * n, n);
  }
  return OkStatus();
}

Status GatherNd(KernelContext& c, bool ignore_bad) {
  return GatherSlices(c, c.input(0), ignore_bad);
}

class ResourceGatherNdKernel final : public Kernel {
 public:
  static std::unique_ptr<ResourceGatherNdKernel> Make(const KernelNode& node) {
    return std::make_unique<ResourceGatherNdKernel>(node.output_types[0]);
  }
  explicit ResourceGatherNdKernel(DType dtype) : dtype_(dtype) {}

  Status Compute(KernelContext& c) override {
    RAMET_ASSIGN_OR_RETURN(const Tensor params, ReadHandle(c, 0, dtype_));
    return GatherSlices(c, params, false);
  }

 private:
  const DType dtype_;
};

Status ShapeOfSlices(ShapeContext& c, const Shape& params) {
  RAMET_ASSIGN_OR_RETURN(Shape indices, c.WithRankAtLeast(1, 1));
  if (indices.unknown_rank() || params.unknown_rank()) return OkStatus();
  const int64_t depth = indices.dim(indices.rank() - 1);
  if (depth < 0) return OkStatus();
  if (depth > params.rank()) {
    return InvalidArgument("indices.shape[-1] must be <= params.rank, but saw indices shape ",
                           indices, " and params shape ", params);
  }
  c.set_output(0, indices.Slice(0, indices.rank() - 1)
                      .Concatenate(params.Slice(static_cast<int>(depth), params.rank())));
  return OkStatus();
}

Status GatherNdShape(ShapeContext& c) { return ShapeOfSlices(c, c.input(0)); }
Status ResourceGatherNdShape(ShapeContext& c) { return ShapeOfSlices(c, c.handle(0).second); }

Status GatherNdGradient(GradientContext& c) {
  const Output indices = c.input(1);
  const bool by_handle = c.input(0).dtype() == DType::kResource;
  const Output shape = by_handle ? VariableShapeOf(c, c.input(0), indices.dtype())
                                 : ShapeOf(c, c.input(0), indices.dtype());
  if (indices.shape().rank() == 2 && indices.shape().dim(1) == 1) {
    Gradient grad = c.grad();
    grad.indices = c.Add("Squeeze", {indices}, {{"squeeze_dims", std::vector<int64_t>{-1}}});
    grad.dense_shape = shape;
    return c.Return({grad, Gradient()});
  }
  const std::string policy = c.op().attrs()->GetOr<std::string>("bad_indices_policy", "");
  return c.Return({c.Add("ScatterNd", {indices, c.grad(), shape}, {{"bad_indices_policy", policy}}),
                   Gradient()});
}

// Adds n elements of x to those of y: numbers are summed, bools are combined with "or", strings are
// appended.
void AddElements(const Tensor& x, int64_t from, Tensor& y, int64_t to, int64_t n) {
  if (x.dtype() == DType::kString) {
    for (int64_t i = 0; i < n; ++i) {
      y.mutable_data<std::string>()[to + i] += x.data<std::string>()[from + i];
    }
  } else if (x.dtype() == DType::kBool) {
    for (int64_t i = 0; i < n; ++i) y.mutable_data<bool>()[to + i] |= x.data<bool>()[from + i];
  } else {
    const int64_t width = static_cast<int64_t>(DTypeSize(x.dtype()));
    linalg::AddTo(LinalgType(x.dtype()), static_cast<const char*>(x.raw_data()) + from * width,
                  static_cast<char*>(y.raw_data()) + to * width, n);
  }
}

// Checks static shapes of indices, updates and the output into which the updates go.
Status CheckScatterShapes(const Shape& indices, const Shape& updates, const Shape& output) {
  if (indices.unknown_rank() || updates.unknown_rank() || output.unknown_rank()) return OkStatus();
  if (indices.rank() < 1) return OkStatus();
  const int outer = indices.rank() - 1;
  const int64_t depth = indices.dim(outer);
  if (depth < 0 || depth > output.rank()) return OkStatus();
  const int split = std::min(outer, updates.rank());
  Status fits = indices.Slice(0, outer).MergeWith(updates.Slice(0, split)).status();
  if (!fits.ok()) {
    return InvalidArgument("Dimensions [0,", outer, ") of indices[shape=", indices,
                           "] must match dimensions [0,", outer, ") of updates[shape=", updates,
                           "]: ", fits.message());
  }
  const Shape slice = output.Slice(static_cast<int>(depth), output.rank());
  fits = slice.MergeWith(updates.Slice(split, updates.rank())).status();
  if (fits.ok()) return OkStatus();
  return InvalidArgument("Dimensions [", depth, ",", output.rank(), ") of input[shape=", output,
                         "] must match dimensions [", outer, ",", updates.rank(),
                         ") of updates[shape=", updates, "]: ", fits.message());
}

// The shape function of ScatterNd: indices, updates, shape.
Status ScatterNdShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(ShapeFromInput<2>(c));
  return CheckScatterShapes(c.input(0), c.input(1), c.output(0));
}

// The shape function of ops that update a tensor: tensor, indices, updates.
Status ScatterIntoShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(UnchangedShape(c));
  return CheckScatterShapes(c.input(1), c.input(2), c.input(0));
}

// Checks that `updates` has the shape [tuples..., slice...] for these indices into `shape`.
Status CheckUpdates(const Shape& updates, const Shape& indices, const Shape& shape) {
  const int outer = indices.rank() - 1;
  const int depth = static_cast<int>(indices.dim(outer));
  const Shape expected = indices.Slice(0, outer).Concatenate(shape.Slice(depth, shape.rank()));
  if (updates == expected) return OkStatus();
  return InvalidArgument("Shapes do not match: updates have shape ", updates,
                         ", but indices of shape ", indices, " into shape ", shape, " need ",
                         expected);
}

bool CanAdd(DType t) {
  return t == DType::kString || t == DType::kBool || IsFloating(t) || IsInteger(t) || IsComplex(t);
}

// Returns the positions that `indices` selects in a tensor of shape `shape`, where `updates` are
// added, or assigned if `assign`.
// \error kInvalidArgument: the shapes do not fit together.
// \error kUnimplemented: elements of the dtype cannot be added.
StatusOr<NdIndex> ScatterIndex(const Tensor& indices, const Tensor& updates, const Shape& shape,
                               bool assign) {
  if (shape.rank() < 1) return InvalidArgument("Output must be at least 1-D, got shape: ", shape);
  RAMET_ASSIGN_OR_RETURN(NdIndex index, NdIndex::Make(indices, shape));
  if (shape.num_elements() == 0 && indices.num_elements() > 0 && updates.num_elements() > 0) {
    return InvalidArgument("Indices and updates specified for empty output.  indices shape: ",
                           indices.shape());
  }
  RAMET_RETURN_IF_ERROR(CheckUpdates(updates.shape(), indices.shape(), shape));
  if (assign || CanAdd(updates.dtype())) return index;
  return Unimplemented("scattering elements of dtype ", DTypeName(updates.dtype()),
                       " is not supported");
}

// Adds `updates` to y at the positions of `index`, or assigns them if `assign`.
Status Scatter(const NdIndex& index, const Tensor& updates, Tensor& y, bool assign,
               bool ignore_bad) {
  const int64_t n = index.slice_size();
  if (const DeviceMath* math = DeviceMath::Of(y)) {
    RAMET_ASSIGN_OR_RETURN(const Tensor rows, math->RowsOfTuples(index.tuples(), index.dims()));
    return math->UpdateRows(assign ? RowUpdate::kAssign : RowUpdate::kAdd, index.num_slices(), n,
                            rows, updates, y);
  }
  for (int64_t i = 0; i < index.num_tuples(); ++i) {
    const int64_t slice = index(i);
    if (slice < 0 && ignore_bad) continue;
    if (slice < 0) return index.Outside(i, "shape", y.shape());
    if (assign) {
      CopyElements(updates, i * n, y, slice * n, n);
    } else {
      AddElements(updates, i * n, y, slice * n, n);
    }
  }
  return OkStatus();
}

Status ScatterNd(KernelContext& c, bool ignore_bad) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, ShapeArg(c.input(2), "shape"));
  RAMET_ASSIGN_OR_RETURN(NdIndex index, ScatterIndex(c.input(0), c.input(1), shape, false));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, c.input(1).dtype(), shape));
  RAMET_RETURN_IF_ERROR(FillZeros(*y));
  return Scatter(index, c.input(1), *y, false, ignore_bad);
}

Status ScatterNdGradient(GradientContext& c) {
  return c.Return({Gradient(), c.Add("GatherNd", {c.grad(), c.input(0)}), Gradient()});
}

template <bool assign>
Status TensorScatter(KernelContext& c, bool ignore_bad) {
  const Tensor& x = c.input(0);
  RAMET_ASSIGN_OR_RETURN(NdIndex index, ScatterIndex(c.input(1), c.input(2), x.shape(), assign));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.ForwardOrAllocate(0, {0}, x.dtype(), x.shape()));
  if (y->raw_data() != x.raw_data()) RAMET_RETURN_IF_ERROR(CopyAll(x, *y));
  return Scatter(index, c.input(2), *y, assign, ignore_bad);
}

Status TensorScatterSub(KernelContext& c, bool ignore_bad) {
  const Tensor &x = c.input(0), &updates = c.input(2);
  if (!IsFloating(x.dtype()) && !IsInteger(x.dtype()) && !IsComplex(x.dtype())) {
    return Unimplemented("subtracting elements of dtype ", DTypeName(x.dtype()),
                         " is not supported");
  }
  RAMET_ASSIGN_OR_RETURN(NdIndex index, ScatterIndex(c.input(1), updates, x.shape(), false));
  if (const DeviceMath* math = DeviceMath::Of(x)) {
    RAMET_ASSIGN_OR_RETURN(Tensor * y, c.ForwardOrAllocate(0, {0}, x.dtype(), x.shape()));
    if (y->raw_data() != x.raw_data()) RAMET_RETURN_IF_ERROR(CopyAll(x, *y));
    RAMET_ASSIGN_OR_RETURN(const Tensor rows, math->RowsOfTuples(index.tuples(), index.dims()));
    return math->UpdateRows(RowUpdate::kSub, index.num_slices(), index.slice_size(), rows, updates,
                            *y);
  }
  RAMET_ASSIGN_OR_RETURN(Tensor minus, c.AllocateTemp(updates.dtype(), updates.shape()));
  RAMET_RETURN_IF_ERROR(FillZeros(minus));
  linalg::Binary(linalg::BinaryOp::kSub, LinalgType(x.dtype()), minus.raw_data(),
                 updates.raw_data(), minus.raw_data(), updates.num_elements());
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.ForwardOrAllocate(0, {0}, x.dtype(), x.shape()));
  if (y->raw_data() != x.raw_data()) RAMET_RETURN_IF_ERROR(CopyAll(x, *y));
  return Scatter(index, minus, *y, false, ignore_bad);
}

Status TensorScatterSubGradient(GradientContext& c) {
  const Output updates = c.Add("GatherNd", {c.grad(), c.input(1)});
  const Output tensor = c.Add("Identity", {c.grad()});
  return c.Return({tensor, Gradient(), c.Add("Neg", {updates})});
}

Status TensorScatterAddGradient(GradientContext& c) {
  return c.Return({c.grad(), Gradient(), c.Add("GatherNd", {c.grad(), c.input(1)})});
}

Status TensorScatterUpdateGradient(GradientContext& c) {
  const Output updates = c.Add("GatherNd", {c.grad(), c.input(1)});
  const Output zeros = c.Add("ZerosLike", {c.input(2)}, {}, "zeros_like");
  return c.Return(
      {c.Add("TensorScatterUpdate", {c.grad(), c.input(1), zeros}), Gradient(), updates});
}

}  // namespace

RAMET_OP("GatherNd")
    .Foldable()
    .Input("params: Tparams")
    .Input("indices: Tindices")
    .Output("output: Tparams")
    .Attr("Tparams: type")
    .Attr("Tindices: {int16, int32, int64}")
    .Attr("bad_indices_policy: string = ''")
    .Doc(
        "Returns slices of `params` selected by the index tuples along the last dimension of "
        "`indices`. Each tuple indexes the first indices.shape[-1] dimensions of `params`. The "
        "result has the shape indices.shape[:-1] + params.shape[indices.shape[-1]:]. Error: "
        "`params` or `indices` is a scalar; the tuples are longer than the rank of `params`; a "
        "tuple is out of range (\"indices[0] = [5] does not index into param shape [3,2]\"), "
        "except with bad_indices_policy IGNORE, which gives zeros.")
    .Shape(GatherNdShape)
    .Gradient(GatherNdGradient)
    .CpuKernelClass<PolicyKernel<GatherNd>>();

RAMET_OP("ScatterNd")
    .Foldable()
    .Input("indices: Tindices")
    .Input("updates: T")
    .Input("shape: Tindices")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tindices: {int16, int32, int64}")
    .Attr("bad_indices_policy: string = ''")
    .Doc(
        "Returns a tensor of zeros of shape `shape`, a vector, to which the slices of `updates` "
        "are added at the positions that the index tuples along the last dimension of `indices` "
        "select. It is the inverse of GatherNd. Error: `updates` does not have the shape "
        "indices.shape[:-1] + shape[indices.shape[-1]:]; a tuple is out of range, except with "
        "bad_indices_policy IGNORE, which skips it; elements of the dtype cannot be added "
        "(kUnimplemented).")
    .HostMemory({"shape"})
    .Shape(ScatterNdShape)
    .Gradient(ScatterNdGradient)
    .CpuKernelClass<PolicyKernel<ScatterNd>>();

RAMET_OP("TensorScatterUpdate")
    .Foldable()
    .Input("tensor: T")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tindices: {int16, int32, int64, uint16}")
    .Attr("bad_indices_policy: string = ''")
    .Doc(
        "Returns `tensor` with the slices at `indices` (as in ScatterNd) replaced by `updates`. "
        "Error: the same as ScatterNd, except that every dtype is supported.")
    .Shape(ScatterIntoShape)
    .Gradient(TensorScatterUpdateGradient)
    .CpuKernelClass<PolicyKernel<TensorScatter<true>>>();

RAMET_OP("TensorScatterAdd")
    .Foldable()
    .Input("tensor: T")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .Attr("bad_indices_policy: string = ''")
    .Doc(
        "Returns `tensor` with `updates` added to the slices at `indices` (as in ScatterNd). "
        "Error: the same as ScatterNd.")
    .Shape(ScatterIntoShape)
    .Gradient(TensorScatterAddGradient)
    .CpuKernelClass<PolicyKernel<TensorScatter<false>>>();

RAMET_OP("TensorScatterSub")
    .Foldable()
    .Input("tensor: T")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .Attr("bad_indices_policy: string = ''")
    .Doc(
        "Returns `tensor` with `updates` subtracted from the slices at `indices` (as in "
        "ScatterNd). Error: the same as ScatterNd; elements of the dtype cannot be subtracted "
        "(kUnimplemented).")
    .Shape(ScatterIntoShape)
    .Gradient(TensorScatterSubGradient)
    .CpuKernelClass<PolicyKernel<TensorScatterSub>>();

RAMET_OP("ScatterNdNonAliasingAdd")
    .Input("input: T")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Output("output: T")
    .Attr("T: {numbertype, bool}")
    .Attr("Tindices: {int32, int64}")
    .Attr("bad_indices_policy: string = ''")
    .Doc(
        "Returns `input` with `updates` added to the slices at `indices`, like TensorScatterAdd. "
        "Error: the same as ScatterNd.")
    .Shape(ScatterIntoShape)
    .Gradient(TensorScatterAddGradient)
    .CpuKernelClass<PolicyKernel<TensorScatter<false>>>();

RAMET_OP("ResourceGatherNd")
    .Input("resource: resource")
    .Input("indices: Tindices")
    .Output("output: dtype")
    .Attr("dtype: type")
    .Attr("Tindices: {int32, int64}")
    .Doc(
        "Returns slices of a resource variable selected by `indices`, like GatherNd on its value. "
        "Error: the same as GatherNd; the variable has no value (kNotFound).")
    .Shape(ResourceGatherNdShape)
    .Gradient(GatherNdGradient)
    .CpuKernelClass<ResourceGatherNdKernel>();

}  // namespace ramet
