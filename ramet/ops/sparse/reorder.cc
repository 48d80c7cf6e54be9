#include "ramet/op/op.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/sparse/sparse.h"

namespace ramet {
namespace {

Status SparseReorder(KernelContext& c) {
  const SparseView s = SparseInputs(c);
  RAMET_RETURN_IF_ERROR(ValidateParts(s));
  const std::vector<int64_t> order = SortedOrder(s.indices.data<int64_t>(), s.count(), s.rank());
  RAMET_ASSIGN_OR_RETURN(Tensor * indices, c.Allocate(0, kInt64, s.indices.shape()));
  RAMET_ASSIGN_OR_RETURN(Tensor * values, c.Allocate(1, s.values.dtype(), s.values.shape()));
  for (int64_t i = 0; i < s.count(); ++i) {
    CopyElements(s.indices, order[i] * s.rank(), *indices, i * s.rank(), s.rank());
    CopyElements(s.values, order[i], *values, i, 1);
  }
  return OkStatus();
}

Status SparseReorderShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape indices, c.WithRank(0, 2));
  RAMET_ASSIGN_OR_RETURN(Shape values, c.WithRank(1, 1));
  RAMET_RETURN_IF_ERROR(c.WithRank(2, 1).status());
  c.set_output(0, std::move(indices));
  c.set_output(1, std::move(values));
  return OkStatus();
}

// Numbers the elements, sorts the numbers like the elements, and moves the gradients back.
Status SparseReorderGradient(GradientContext& c) {
  const Output indices = c.input(0), shape = c.input(2), grad = c.grad(1);
  const Output count = ElementAt(c, ShapeOf(c, indices), 0);
  const Operation sorted = c.AddOperation("SparseReorder", {indices, RangeTo(c, count), shape});
  const Output inverse = c.Add("InvertPermutation", {sorted.output(1)});
  return c.Return({Gradient(), c.Add("GatherV2", {grad, inverse, 0}), Gradient()});
}

RAMET_OP("SparseReorder")
    .Input("input_indices: int64")
    .Input("input_values: T")
    .Input("input_shape: int64")
    .Output("output_indices: int64")
    .Output("output_values: T")
    .Attr("T: type")
    .Doc(
        "Sorts the elements of a sparse tensor by their indices, in row-major order. Elements with "
        "the same index keep their order. Error: the inputs are not the parts of a sparse tensor.")
    .Shape(SparseReorderShape)
    .Gradient(SparseReorderGradient)
    .CpuKernel(SparseReorder);

}  // namespace
}  // namespace ramet
