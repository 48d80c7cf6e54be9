#include "ramet/ops/list/list_shapes.h"

namespace ramet::tensor_list {
namespace {

// Returns the element shape from input i merged with that of the list.
StatusOr<Shape> ElementShapeOf(ShapeContext& c, int i) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, c.constant_as_shape(i));
  return shape.MergeWith(c.handle(0).second);
}

}  // namespace

Status CheckListElement(ShapeContext& c, int i) {
  return c.handle(0).second.MergeWith(c.input(i)).status();
}

Status PopBackShape(ShapeContext& c) {
  c.set_output(0, Shape());
  RAMET_ASSIGN_OR_RETURN(Shape shape, ElementShapeOf(c, 1));
  c.set_output(1, std::move(shape));
  return OkStatus();
}

Status GetItemShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, ElementShapeOf(c, 2));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status StackShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, ElementShapeOf(c, 1));
  const int64_t n = c.attrs().GetOr<int64_t>("num_elements", -1);
  c.set_output(0, Shape{n < 0 ? Shape::kUnknownDim : n}.Concatenate(shape));
  return OkStatus();
}

Status GatherShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, ElementShapeOf(c, 2));
  c.set_output(0, c.input(1).Concatenate(shape));
  return OkStatus();
}

Status ConcatShape(ShapeContext& c) {
  c.set_output(1, Shape::OfRank(1));
  Shape shape = c.attrs().GetOr<Shape>("element_shape", Shape::Unknown());
  if (c.num_inputs() > 1) {
    RAMET_ASSIGN_OR_RETURN(shape, c.constant_as_shape(1));
  }
  RAMET_ASSIGN_OR_RETURN(shape, shape.MergeWith(c.handle(0).second));
  if (shape.rank() > 0) {
    shape.set_dim(0, Shape::kUnknownDim);
    c.set_output(0, std::move(shape));
  }
  return OkStatus();
}

Status ElementShapeShape(ShapeContext& c) {
  const Shape shape = c.handle(0).second;
  if (!shape.unknown_rank()) c.set_output(0, Shape{shape.rank()});
  return OkStatus();
}

Status ConcatListsShape(ShapeContext& c) {
  RAMET_ASSIGN_OR_RETURN(Shape shape, c.input(0).MergeWith(c.input(1)));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

}  // namespace ramet::tensor_list
