#include "ramet/ops/parsing/parse_shapes.h"

namespace ramet {

Shape Joined(const Shape& a, const Shape& b) {
  if (a.unknown_rank() || b.unknown_rank()) return Shape::Unknown();
  return a.Concatenate(b);
}

StatusOr<Shape> AtMostVector(ShapeContext& c, int i) {
  if (c.input(i).rank() <= 1) return c.input(i);
  return InvalidArgument("Shape must be at most rank 1 but is rank ", c.input(i).rank());
}

Status CheckCsvDefaultShape(ShapeContext& c, int i) {
  RAMET_ASSIGN_OR_RETURN(const Shape value, AtMostVector(c, i));
  if (value.rank() != 1 || value.dim(0) <= 1) return OkStatus();
  return InvalidArgument("Shape of a default must be a length-0 or length-1 vector, or a scalar.");
}

void ParseOutputs::Add(int64_t count, const Shape& shape) {
  for (int64_t i = 0; i < count && next_ < c_.num_outputs(); ++i) c_.set_output(next_++, shape);
}

void ParseOutputs::Sparse(int64_t count, int more_dims) {
  const int64_t rank = input_.unknown_rank() ? Shape::kUnknownDim : input_.rank() + more_dims;
  Add(count, Shape{Shape::kUnknownDim, rank});
  Vectors(count);
  Add(count, Shape{rank});
}

void ParseOutputs::Dense(const std::vector<Shape>& shapes, const Shape& prefix) {
  for (const Shape& shape : shapes) Add(1, Joined(prefix, shape));
}

void ParseOutputs::RowSplits(int64_t count) {
  int64_t splits = Shape::kUnknownDim;
  if (input_.rank() == 1 && input_.dim(0) != Shape::kUnknownDim) splits = input_.dim(0) + 1;
  Add(count, Shape{splits});
}

}  // namespace ramet
