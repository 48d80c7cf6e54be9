#include <algorithm>

#include "ramet/op/op.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"
#include "ramet/ops/math/wrapping.h"
#include "ramet/ops/sparse/sparse.h"

namespace ramet {
namespace {

Status CheckBound(const Tensor& bound, std::string_view name, int64_t rank) {
  if (bound.rank() != 1) {
    return InvalidArgument("Input ", name, " should be a vector but received shape ",
                           bound.shape());
  }
  if (bound.dim(0) == rank) return OkStatus();
  return InvalidArgument("Expected ", name, " to be a vector of length ", rank, " but got length ",
                         bound.dim(0));
}

// Returns the number of positions of a dimension that the slice covers, as TensorFlow counts them:
// a negative start counts as if the dimension began there.
StatusOr<std::vector<int64_t>> SlicedDims(std::span<const int64_t> dims,
                                          std::span<const int64_t> start,
                                          std::span<const int64_t> size) {
  std::vector<int64_t> sliced(dims.begin(), dims.end());
  for (size_t d = 0; d < dims.size(); ++d) {
    const int64_t rest =
        static_cast<int64_t>(static_cast<uint64_t>(dims[d]) - static_cast<uint64_t>(size[d]));
    if (start[d] < rest) {
      sliced[d] = size[d];
    } else {
      sliced[d] = start[d] < dims[d] ? WrappingSub(dims[d], start[d]) : 0;
    }
    if (sliced[d] < 0) return InvalidArgument("Expected a non-negative size, got ", sliced[d]);
    RAMET_RETURN_IF_ERROR(DenseShapeOf(sliced).status());
  }
  return sliced;
}

bool IsInSlice(const int64_t* row, std::span<const int64_t> start, std::span<const int64_t> size) {
  for (size_t d = 0; d < start.size(); ++d) {
    if (row[d] < start[d] || row[d] >= WrappingAdd(start[d], size[d])) return false;
  }
  return true;
}

Status SparseSlice(KernelContext& c) {
  const SparseView s = SparseInputs(c);
  RAMET_RETURN_IF_ERROR(ValidateParts(s));
  RAMET_RETURN_IF_ERROR(CheckBound(c.input(3), "start", s.rank()));
  RAMET_RETURN_IF_ERROR(CheckBound(c.input(4), "size", s.rank()));
  RAMET_RETURN_IF_ERROR(DenseShapeOf(s.dims()).status());
  const auto start = c.input(3).flat<int64_t>(), size = c.input(4).flat<int64_t>();
  RAMET_ASSIGN_OR_RETURN(const std::vector<int64_t> dims, SlicedDims(s.dims(), start, size));
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < s.count(); ++i) {
    if (IsInSlice(s.row(i), start, size)) kept.push_back(i);
  }
  RAMET_ASSIGN_OR_RETURN(const SparseOutputs out,
                         AllocateSparse(c, 0, s.values.dtype(), std::ssize(kept), dims));
  int64_t* row = out.indices->mutable_data<int64_t>();
  for (size_t k = 0; k < kept.size(); ++k) {
    CopyElements(s.values, kept[k], *out.values, static_cast<int64_t>(k), 1);
    for (int d = 0; d < s.rank(); ++d) *row++ = s.row(kept[k])[d] - start[d];
  }
  return OkStatus();
}

Status SparseSliceShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(0, 2).status());
  RAMET_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  RAMET_ASSIGN_OR_RETURN(const Shape shape, c.WithRank(2, 1));
  RAMET_RETURN_IF_ERROR(c.WithRank(3, 1).status());
  RAMET_RETURN_IF_ERROR(c.WithRank(4, 1).status());
  SetSparseOutputs(c, 0, shape.dim(0));
  return OkStatus();
}

Status SparseSliceGradient(GradientContext& c) {
  const Output slopes = c.Add("SparseSliceGrad", {c.grad(1), c.input(0), c.input(3), c.output(0)});
  return c.Return({Gradient(), slopes, Gradient(), Gradient(), Gradient()});
}

Status CheckSliceGrad(const Tensor& grad, const Tensor& inputs, const Tensor& start,
                      const Tensor& outputs) {
  if (inputs.rank() != 2 || outputs.rank() != 2) {
    return InvalidArgument("Input and output indices should be matrices but received shapes: ",
                           inputs.shape(), " and ", outputs.shape());
  }
  if (grad.rank() != 1) {
    return InvalidArgument("Input backprop_val_grad should be a vector but received shape: ",
                           grad.shape());
  }
  if (start.rank() != 1) {
    return InvalidArgument("The input_start should be a vector but received shape ", start.shape());
  }
  if (inputs.dim(1) != outputs.dim(1)) {
    return InvalidArgument("The input and output should have the same ndims: got: ", inputs.dim(1),
                           " and ", outputs.dim(1));
  }
  if (outputs.dim(0) > inputs.dim(0)) {
    return InvalidArgument(
        "# rows of output_indices should be not greater than of "
        "input_indices, got ",
        outputs.dim(0), " and ", inputs.dim(0));
  }
  if (grad.dim(0) != outputs.dim(0)) {
    return InvalidArgument(
        "# elements of backprop_val_grad and # rows of output_indices should "
        "match (#nnz of sum): got ",
        grad.dim(0), " and ", outputs.dim(0));
  }
  return CheckBound(start, "input_start", inputs.dim(1));
}

// The elements of the slice are in the order of the input, so one pass matches them.
template <class T>
Status SparseSliceGrad(KernelContext& c) {
  const Tensor &grad = c.input(0), &inputs = c.input(1), &start = c.input(2), &outputs = c.input(3);
  RAMET_RETURN_IF_ERROR(CheckSliceGrad(grad, inputs, start, outputs));
  const int64_t rank = inputs.dim(1), wanted = outputs.dim(0);
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, grad.dtype(), Shape{inputs.dim(0)}));
  std::fill_n(y->mutable_data<T>(), y->num_elements(), T());
  const int64_t* origin = start.data<int64_t>();
  int64_t used = 0;
  for (int64_t i = 0; i < inputs.dim(0) && used < wanted; ++i) {
    const int64_t* in = inputs.data<int64_t>() + i * rank;
    const int64_t* out = outputs.data<int64_t>() + used * rank;
    bool same = true;
    for (int64_t d = 0; d < rank && same; ++d) same = WrappingAdd(out[d], origin[d]) == in[d];
    if (same) y->mutable_data<T>()[i] = grad.data<T>()[used++];
  }
  if (used == wanted) return OkStatus();
  return Internal("Elements of backprop_val_grad aren't all propagated. Num elements:", wanted,
                  ", used: ", used);
}

Status SparseSliceGradShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  RAMET_ASSIGN_OR_RETURN(const Shape indices, c.WithRank(1, 2));
  RAMET_RETURN_IF_ERROR(c.WithRank(2, 1).status());
  RAMET_RETURN_IF_ERROR(c.WithRank(3, 2).status());
  c.set_output(0, Shape{indices.dim(0)});
  return OkStatus();
}

RAMET_OP("SparseSlice")
    .Input("indices: int64")
    .Input("values: T")
    .Input("shape: int64")
    .Input("start: int64")
    .Input("size: int64")
    .Output("output_indices: int64")
    .Output("output_values: T")
    .Output("output_shape: int64")
    .Attr("T: type")
    .HostMemory({"start", "size"})
    .Doc(
        "Returns the elements of a sparse tensor whose indices are in [start, start + size), with "
        "indices relative to start. A slice that extends past a dimension is cut off there. Error: "
        "the inputs are not the parts of a sparse tensor; start or size is not a vector of its "
        "rank; a size is negative.")
    .Shape(SparseSliceShape)
    .Gradient(SparseSliceGradient)
    .CpuKernel(SparseSlice);

RAMET_OP("SparseSliceGrad")
    .Input("backprop_val_grad: T")
    .Input("input_indices: int64")
    .Input("input_start: int64")
    .Input("output_indices: int64")
    .Output("val_grad: T")
    .Attr("T: numbertype")
    .HostMemory({"input_start"})
    .Doc(
        "Returns the gradient of SparseSlice for the values: backprop_val_grad at the elements "
        "that are in the slice and 0 at the rest. Error: the shapes do not fit together; an "
        "element of the slice is not in the input.")
    .Shape(SparseSliceGradShape)
    .CpuKernels<RAMET_NUMBERS>([]<class T>(KernelContext& c) { return SparseSliceGrad<T>(c); });

}  // namespace
}  // namespace ramet
