#pragma once

#include "ramet/graph/add_op.h"

namespace ramet {

// Returns the shape of a tensor as an int32 vector called "Shape" (tf.shape), a constant if it is
// known.
Output ShapeVector(const Output& x);

// Returns the run-time shape of a tensor as a node "Shape", even if it is known statically. For a
// resource, returns the shape of its variable, a constant if known.
Output RuntimeShape(const Output& x, DType dtype = DType::kInt32);

// Returns zeros like `x`: ZerosLike "zeros_like", or for a resource handle zeros of the variable's
// shape and dtype. If `as_constant`, the result is a constant if the shape is known
// (tf.zeros_like).
Output ZerosLikeOutput(const Output& x, bool as_constant);

// Returns a tensor of shape `dims` filled with `value`: nodes "<name>" (Fill) and "<name>/Const".
Output FillWith(Graph& graph, const Output& dims, DType dtype, double value, std::string_view name);

// Returns a tensor of a known shape filled with `value` (tf.zeros, tf.ones): a Const "<name>" below
// a thousand elements, otherwise a Fill with "<name>/shape_as_tensor".
Output FilledTensor(Graph& graph, const Shape& shape, DType dtype, double value,
                    std::string_view name);

// Returns the dtype of the variable that a resource tensor refers to, or kInvalid if it cannot be
// determined.
DType HandleType(const Output& handle);

// Returns the dtype of a tensor, or for a resource HandleType.
DType ContentType(const Output& x);

// Returns the dimensions of a fully defined shape as an int32 vector (int64 if a dimension requires
// it).
Tensor DimsTensor(const Shape& shape, DType dtype = DType::kInt32);

// Returns zeros of a fully defined shape, for any dtype whose zero is all zero bits.
Tensor ZerosTensor(DType dtype, const Shape& shape);

// Returns a scalar of any numeric dtype.
// \error kInvalidArgument: the dtype is not numeric or cannot represent the value.
StatusOr<Tensor> NumberTensor(DType dtype, double value);

}  // namespace ramet
