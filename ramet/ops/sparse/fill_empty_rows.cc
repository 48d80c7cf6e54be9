#include <algorithm>

#include "ramet/op/op.h"
#include "ramet/ops/array/move.h"
#include "ramet/ops/math/gradient_util.h"
#include "ramet/ops/math/types.h"
#include "ramet/ops/math/wrapping.h"
#include "ramet/ops/sparse/sparse.h"

// SparseFillEmptyRows and RaggedFillEmptyRows: rows without elements get a default value.

namespace ramet {
namespace {

// The elements by rows. `rows` holds the row of element i at rows[i * step].
struct RowElements {
  const int64_t* rows;
  int64_t step, count, num_rows;

  int64_t row(int64_t i) const { return rows[i * step]; }
};

Status CheckRows(const RowElements& elements) {
  if (elements.num_rows == 0 && elements.count > 0) {
    return InvalidArgument("Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = ",
                           elements.count);
  }
  for (int64_t i = 0; i < elements.count; ++i) {
    const int64_t row = elements.row(i);
    if (row >= 0 && row < elements.num_rows) continue;
    return InvalidArgument("indices(", i, ", 0) is invalid: ", row, " >= ", elements.num_rows);
  }
  return OkStatus();
}

// Writes outputs 2 and 3: which rows are empty, and the new position of each element. Returns the
// number of elements afterwards. `ends` gets the end of each row in the result.
StatusOr<int64_t> PlaceElements(KernelContext& c, const RowElements& elements, Tensor& ends) {
  RAMET_ASSIGN_OR_RETURN(Tensor * empty, c.Allocate(2, kBool, Shape{elements.num_rows}));
  RAMET_ASSIGN_OR_RETURN(Tensor * moved, c.Allocate(3, kInt64, Shape{elements.count}));
  RAMET_ASSIGN_OR_RETURN(ends, c.AllocateTemp(kInt64, Shape{elements.num_rows}));
  int64_t* end = ends.mutable_data<int64_t>();
  std::fill_n(end, elements.num_rows, int64_t{0});
  for (int64_t i = 0; i < elements.count; ++i) ++end[elements.row(i)];
  int64_t total = 0;
  for (int64_t r = 0; r < elements.num_rows; ++r) {
    empty->mutable_data<bool>()[r] = end[r] == 0;
    const int64_t size = std::max<int64_t>(end[r], 1);
    end[r] = total;
    total += size;
  }
  for (int64_t i = 0; i < elements.count; ++i) {
    moved->mutable_data<int64_t>()[i] = end[elements.row(i)]++;
  }
  return total;
}

// Writes outputs 0 and 1: the indices of `columns` columns and the values.
Status WriteFilled(KernelContext& c, const Tensor& indices, const Tensor& values,
                   const Tensor& default_value, int64_t columns, int64_t total) {
  Shape shape{total};
  if (indices.rank() == 2) shape.Append(columns);
  RAMET_ASSIGN_OR_RETURN(Tensor * out, c.Allocate(0, kInt64, shape));
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(1, values.dtype(), Shape{total}));
  const Tensor &empty = c.output(2).tensor, &moved = c.output(3).tensor;
  int64_t* rows = out->mutable_data<int64_t>();
  std::fill_n(rows, total * columns, int64_t{-1});
  for (int64_t i = 0; i < values.dim(0); ++i) {
    const int64_t at = moved.data<int64_t>()[i];
    CopyElements(indices, i * columns, *out, at * columns, columns);
    CopyElements(values, i, *y, at, 1);
  }
  int64_t at = 0;
  for (int64_t r = 0; r < empty.num_elements(); ++r) {
    if (!empty.data<bool>()[r]) {
      while (at < total && rows[at * columns] == r) ++at;
      continue;
    }
    std::fill_n(rows + at * columns, columns, int64_t{0});
    rows[at * columns] = r;
    CopyElements(default_value, 0, *y, at++, 1);
  }
  return OkStatus();
}

Status FillRows(KernelContext& c, int64_t num_rows, int64_t columns) {
  const Tensor& indices = c.input(0);
  const RowElements elements{indices.data<int64_t>(), columns, indices.dim(0), num_rows};
  if (num_rows < 0) {
    return InvalidArgument("Expected shape dimensions to be non-negative, got ", num_rows);
  }
  RAMET_RETURN_IF_ERROR(CheckRows(elements));
  Tensor ends;
  RAMET_ASSIGN_OR_RETURN(const int64_t total, PlaceElements(c, elements, ends));
  return WriteFilled(c, indices, c.input(1), c.input(3), columns, total);
}

Status SparseFillEmptyRows(KernelContext& c) {
  const Tensor &indices = c.input(0), &values = c.input(1), &shape = c.input(2);
  if (shape.rank() != 1)
    return InvalidArgument("dense_shape must be a vector, saw: ", shape.shape());
  if (indices.rank() != 2)
    return InvalidArgument("indices must be a matrix, saw: ", indices.shape());
  if (values.rank() != 1) return InvalidArgument("values must be a vector, saw: ", values.shape());
  if (indices.dim(0) != values.dim(0)) {
    return InvalidArgument("The length of `values` (", values.dim(0),
                           ") must match the first dimension of `indices` (", indices.dim(0), ").");
  }
  if (indices.dim(1) != shape.dim(0)) {
    return InvalidArgument("The length of `dense_shape` (", shape.dim(0),
                           ") must match the second dimension of `indices` (", indices.dim(1),
                           ").");
  }
  if (c.input(3).rank() != 0) {
    return InvalidArgument("default_value must be a scalar, saw: ", c.input(3).shape());
  }
  if (shape.dim(0) == 0) return InvalidArgument("Dense shape cannot be empty.");
  return FillRows(c, shape.data<int64_t>()[0], shape.dim(0));
}

Status RaggedFillEmptyRows(KernelContext& c) {
  const Tensor &rows = c.input(0), &values = c.input(1), &count = c.input(2);
  if (count.rank() != 0) return InvalidArgument("nrows must be a scalar, saw: ", count.shape());
  if (rows.rank() != 1)
    return InvalidArgument("value_rowids must be a vector, saw: ", rows.shape());
  if (values.rank() != 1) return InvalidArgument("values must be a vector, saw: ", values.shape());
  if (rows.dim(0) != values.dim(0)) {
    return InvalidArgument("The length of `values` (", values.dim(0),
                           ") must match the first dimension of `value_rowids` (", rows.dim(0),
                           ").");
  }
  if (c.input(3).rank() != 0) {
    return InvalidArgument("default_value must be a scalar, saw: ", c.input(3).shape());
  }
  return FillRows(c, count.scalar<int64_t>(), 1);
}

// Sends the gradient of each element back to its old position; the rest is the sum for the default
// value.
template <class T>
Status FillEmptyRowsGrad(KernelContext& c) {
  const Tensor &moved = c.input(0), &grad = c.input(1);
  if (moved.rank() != 1) {
    return InvalidArgument("reverse_index_map must be a vector, saw: ", moved.shape());
  }
  if (grad.rank() != 1) return InvalidArgument("grad_values must be a vector, saw: ", grad.shape());
  const int64_t total = grad.dim(0);
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, grad.dtype(), moved.shape()));
  RAMET_ASSIGN_OR_RETURN(Tensor * rest, c.Allocate(1, grad.dtype(), Shape()));
  std::vector<bool> used(total);
  for (int64_t i = 0; i < moved.dim(0); ++i) {
    const int64_t at = moved.data<int64_t>()[i];
    if (at < 0 || at >= total) {
      return InvalidArgument("Elements in reverse index must be in [0, ", total, ") but got ", at);
    }
    y->mutable_data<T>()[i] = grad.data<T>()[at];
    used[at] = true;
  }
  T sum{};
  for (int64_t at = 0; at < total; ++at) {
    if (!used[at]) sum = WrappingAdd(sum, grad.data<T>()[at]);
  }
  *rest->mutable_data<T>() = sum;
  return OkStatus();
}

Status SparseFillEmptyRowsShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const Shape indices, c.WithRank(0, 2));
  RAMET_ASSIGN_OR_RETURN(const Shape values, c.WithRank(1, 1));
  RAMET_ASSIGN_OR_RETURN(const Shape shape, c.WithRank(2, 1));
  RAMET_RETURN_IF_ERROR(c.WithRank(3, 0).status());
  RAMET_ASSIGN_OR_RETURN(const Shape count, Shape{indices.dim(0)}.MergeWith(values));
  RAMET_ASSIGN_OR_RETURN(const Shape rank, Shape{indices.dim(1)}.MergeWith(shape));
  RAMET_ASSIGN_OR_RETURN(const Shape dims, c.constant_as_shape(2));
  c.set_output(0, Shape{Shape::kUnknownDim, rank.dim(0)});
  c.set_output(1, Shape{Shape::kUnknownDim});
  c.set_output(2, Shape{dims.rank() > 0 ? dims.dim(0) : Shape::kUnknownDim});
  c.set_output(3, count);
  return OkStatus();
}

Status RaggedFillEmptyRowsShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(const Shape rows, c.WithRank(0, 1));
  RAMET_ASSIGN_OR_RETURN(const Shape values, c.WithRank(1, 1));
  RAMET_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  RAMET_RETURN_IF_ERROR(c.WithRank(3, 0).status());
  RAMET_ASSIGN_OR_RETURN(Shape count, rows.MergeWith(values));
  c.set_output(0, Shape{Shape::kUnknownDim});
  c.set_output(1, Shape{Shape::kUnknownDim});
  c.set_output(2, Shape{Shape::kUnknownDim});
  c.set_output(3, std::move(count));
  return OkStatus();
}

Status FillEmptyRowsGradShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape moved, c.WithRank(0, 1));
  RAMET_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  c.set_output(0, std::move(moved));
  c.set_output(1, Shape());
  return OkStatus();
}

Status FillEmptyRowsGradient(GradientContext& c) {
  const Operation slopes = c.AddOperation(StrCat(c.op().type(), "Grad"), {c.output(3), c.grad(1)});
  return c.Return({Gradient(), slopes.output(0), Gradient(), slopes.output(1)});
}

RAMET_OP("SparseFillEmptyRows")
    .Input("indices: int64")
    .Input("values: T")
    .Input("dense_shape: int64")
    .Input("default_value: T")
    .Output("output_indices: int64")
    .Output("output_values: T")
    .Output("empty_row_indicator: bool")
    .Output("reverse_index_map: int64")
    .Attr("T: type")
    .Doc(
        "Adds an element with default_value in the first column of each empty row of a sparse "
        "tensor, and sorts the elements by row. Also returns which rows were empty, and the new "
        "position of each element. Error: the inputs are not the parts of a sparse tensor; a row "
        "is out of bounds; default_value is not a scalar.")
    .Shape(SparseFillEmptyRowsShape)
    .Gradient(FillEmptyRowsGradient)
    .CpuKernel(SparseFillEmptyRows);

RAMET_OP("RaggedFillEmptyRows")
    .Input("value_rowids: int64")
    .Input("values: T")
    .Input("nrows: int64")
    .Input("default_value: T")
    .Output("output_value_rowids: int64")
    .Output("output_values: T")
    .Output("empty_row_indicator: bool")
    .Output("reverse_index_map: int64")
    .Attr("T: type")
    .Doc(
        "Adds an element with default_value to each of nrows rows that is empty, and sorts the "
        "elements by row. value_rowids has the row of each value. Also returns which rows were "
        "empty, and the new position of each element. Error: value_rowids and values are not "
        "vectors of the same length; a row is not in [0, nrows); nrows or default_value is not a "
        "scalar.")
    .Shape(RaggedFillEmptyRowsShape)
    .Gradient(FillEmptyRowsGradient)
    .CpuKernel(RaggedFillEmptyRows);

#define RAMET_FILL_EMPTY_ROWS_GRAD(name)                                                        \
  RAMET_OP(name "Grad")                                                                         \
      .Input("reverse_index_map: int64")                                                        \
      .Input("grad_values: T")                                                                  \
      .Output("d_values: T")                                                                    \
      .Output("d_default_value: T")                                                             \
      .Attr("T: type")                                                                          \
      .Doc("Returns the gradients of " name                                                     \
           " for the values, which are those at reverse_index_map in grad_values, and for the " \
           "default value, which is the sum of the rest. Error: an input is not a vector; a "   \
           "position is out of range.")                                                         \
      .Shape(FillEmptyRowsGradShape)                                                            \
      .CpuKernels<RAMET_NUMBERS>(                                                               \
          []<class T>(KernelContext& c) { return FillEmptyRowsGrad<T>(c); })

RAMET_FILL_EMPTY_ROWS_GRAD("SparseFillEmptyRows");
RAMET_FILL_EMPTY_ROWS_GRAD("RaggedFillEmptyRows");

}  // namespace
}  // namespace ramet
