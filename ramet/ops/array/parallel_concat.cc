#include "ramet/op/op.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/array/shape_fn.h"
#include "ramet/ops/math/types.h"

namespace ramet {
namespace {

// Copies each input into one row of the result.
Status ParallelConcat(KernelContext& c) {
  const Tensor& first = c.input(0);
  if (first.rank() < 1 || first.dim(0) != 1) {
    return InvalidArgument("Size of first dimension must be 1, but the shape is ", first.shape());
  }
  for (int i = 1; i < c.num_inputs(); ++i) {
    if (c.input(i).shape() == first.shape()) continue;
    return InvalidArgument("Shapes of all inputs must match: values[0].shape = ", first.shape(),
                           " != values[", i, "].shape = ", c.input(i).shape());
  }
  Shape shape = first.shape();
  shape.set_dim(0, c.num_inputs());
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, first.dtype(), shape));
  for (int i = 0; i < c.num_inputs(); ++i) {
    const Tensor& row = c.input(i);
    CopyElements(row, 0, *y, i * row.num_elements(), row.num_elements());
  }
  return OkStatus();
}

Status ParallelConcatShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, c.attr<Shape>("shape"));
  if (shape.num_elements() < 0) {
    return InvalidArgument("shape attr must be fully defined. It is ", shape);
  }
  Shape row = Shape::Unknown();
  for (int i = 0; i < c.num_inputs(); ++i) {
    const Shape& found = c.input(i);
    if (found.num_elements() < 0) return InvalidArgument("All input shapes must be fully defined.");
    if (found.rank() < 1 || found.dim(0) != 1) {
      return InvalidArgument("Size of first dimension must be 1, but the shape is ", found);
    }
    RAMET_ASSIGN_OR_RETURN(row, row.MergeWith(found));
  }
  row.set_dim(0, c.num_inputs());
  RAMET_ASSIGN_OR_RETURN(Shape merged, shape.MergeWith(row));
  c.set_output(0, std::move(merged));
  return OkStatus();
}

RAMET_OP("ParallelConcat")
    .Input("values: N * T")
    .Output("output: T")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .Attr("shape: shape")
    .Doc(
        "Returns the values, whose first dimension is 1, concatenated along that dimension. "
        "`shape` is the shape of the output. Error: the shapes differ, are unknown when the graph "
        "is built, or do not match `shape`; the first dimension of a value is not 1.")
    .Shape(ParallelConcatShape)
    .CpuKernel(ParallelConcat);

}  // namespace
}  // namespace ramet
