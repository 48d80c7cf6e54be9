#include "ramet/ops/data_flow/join.h"

#include "ramet/ops/array/move.h"

namespace ramet {
namespace {

Status OutputJoined(KernelContext& c, DType dtype, const Shape& shape,
                    std::span<const Tensor> values) {
  RAMET_ASSIGN_OR_RETURN(Shape checked, Shape::Make(shape.dims()));
  RAMET_ASSIGN_OR_RETURN(Tensor * joined, c.Allocate(0, dtype, checked));
  int64_t at = 0;
  for (const Tensor& value : values) {
    CopyElements(value, 0, *joined, at, value.num_elements());
    at += value.num_elements();
  }
  return OkStatus();
}

}  // namespace

Status OutputStack(KernelContext& c, DType dtype, const Shape& element,
                   std::span<const Tensor> values) {
  return OutputJoined(c, dtype, Shape{std::ssize(values)}.Concatenate(element), values);
}

Status OutputConcat(KernelContext& c, DType dtype, const Shape& row,
                    std::span<const Tensor> values) {
  int64_t rows = 0;
  for (const Tensor& value : values) {
    if (!__builtin_add_overflow(rows, value.dim(0), &rows)) continue;
    return InvalidArgument("the rows of ", values.size(), " tensors overflow a 64-bit integer");
  }
  return OutputJoined(c, dtype, Shape{rows}.Concatenate(row), values);
}

constexpr int64_t kMaxEmptyRows = int64_t{1} << 24;

StatusOr<std::vector<Tensor>> Rows(KernelContext& c, const Tensor& value) {
  const Shape row = value.shape().Slice(1, value.rank());
  const int64_t size = row.num_elements();
  // The number of rows with elements is bounded by the memory of `value`, but a tensor without
  // elements may have any number of rows.
  if (size == 0 && value.dim(0) > kMaxEmptyRows) {
    return ResourceExhausted("a tensor of shape ", value.shape(), " has more than ", kMaxEmptyRows,
                             " rows without elements");
  }
  std::vector<Tensor> rows;
  for (int64_t i = 0; i < value.dim(0); ++i) {
    RAMET_ASSIGN_OR_RETURN(rows.emplace_back(), c.AllocateTemp(value.dtype(), row));
    CopyElements(value, i * size, rows.back(), 0, size);
  }
  return rows;
}

StatusOr<std::vector<Tensor>> Pieces(KernelContext& c, const Tensor& value,
                                     std::span<const int64_t> lengths) {
  const Shape row = value.shape().Slice(1, value.rank());
  std::vector<Tensor> pieces;
  int64_t at = 0;
  for (int64_t length : lengths) {
    const Shape shape = Shape{length}.Concatenate(row);
    RAMET_ASSIGN_OR_RETURN(pieces.emplace_back(), c.AllocateTemp(value.dtype(), shape));
    CopyElements(value, at, pieces.back(), 0, shape.num_elements());
    at += shape.num_elements();
  }
  return pieces;
}

}  // namespace ramet
