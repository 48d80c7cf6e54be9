#pragma once

#include "ramet/op/shape_context.h"

namespace ramet::tensor_list {

// Shape functions of the list ops: what an input says of the elements' shape is merged with what is
// known of the list. \error kInvalidArgument if these do not fit.

// A list, changed by an element that is input `i`.
Status CheckListElement(ShapeContext& c, int i);
template <int i>
Status ChangedListShape(ShapeContext& c) {
  RAMET_RETURN_IF_ERROR(CheckListElement(c, i));
  return ScalarShape(c);
}
Status PopBackShape(ShapeContext& c);
Status GetItemShape(ShapeContext& c);
Status StackShape(ShapeContext& c);
Status GatherShape(ShapeContext& c);
Status ConcatShape(ShapeContext& c);
Status ElementShapeShape(ShapeContext& c);
Status ConcatListsShape(ShapeContext& c);

}  // namespace ramet::tensor_list
