#pragma once

#include "ramet/graph/add_op.h"

namespace ramet {

// The shape of a tensor as an int32 vector called "Shape" (tf.shape): a constant if it is known.
Output ShapeVector(const Output& x);

// Zeros like an output of `op`: ZerosLike "zeros_like"; for a resource handle, zeros of the variable's
// shape and dtype. `as_constant`: a constant where the shape is known (tf.zeros_like).
Output ZerosLikeOutput(const Output& x, bool as_constant);

// A tensor `value` of dtype (0 or 1) and of the shape that `dims` holds: "<name>" Fill, "<name>/Const".
Output FillWith(Graph& graph, const Output& dims, DType dtype, int value, std::string_view name);

// A scalar of any numeric dtype. \error kInvalidArgument if the dtype is no number.
StatusOr<Tensor> NumberTensor(DType dtype, int value);

}  // namespace ramet
