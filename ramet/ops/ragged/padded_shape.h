#pragma once

#include "ramet/gradients/gradient_context.h"
#include "ramet/op/op.h"

namespace ramet {

// Returns the shape that input i of RaggedTensorToTensor asks for, as far as it is known. The
// scalar -1 asks for nothing.
// \error kInvalidArgument: a known value is not a shape.
StatusOr<Shape> AskedShape(ShapeContext& c, int i);

// Checks that a ragged tensor with these values can have the shape that was asked for.
// \error kInvalidArgument: "rt_input.shape and shape=[?,3] are incompatible: ...".
Status CheckPaddedShape(const Shape& asked, int ragged_rank, const Shape& values);
// Checks that the default value has fewer dimensions than the values and can be broadcast.
// \error kInvalidArgument: "default_value.shape=[3] and rt_input.flat_values.shape=[5,2] are
//   incompatible: ...".
Status CheckDefaultShape(const Shape& value, const Shape& values);

// The gradient function of RaggedTensorToTensor. The gradient of the values is sparse.
Status RaggedTensorToTensorGradient(GradientContext& c);

}  // namespace ramet
