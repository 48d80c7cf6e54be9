#pragma once

#include "ramet/op/shape_context.h"

namespace ramet::tensor_list {

// Shape functions of the list ops. They merge the element shape given by an input with what is
// known about the list.
// \error kInvalidArgument: the two shapes are incompatible.

// Checks that input `i` is a valid element of the list that is input 0.
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
