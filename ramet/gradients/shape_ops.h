#pragma once

#include "ramet/graph/add_op.h"

namespace ramet {

// The shape of a tensor as an int32 vector called "Shape" (tf.shape): a constant if it is known.
Output ShapeVector(const Output& x);

// The shape that a tensor has when it is there: "Shape", even if it is known before; of a resource
// the shape of the variable that it names, a constant if that is known.
Output RuntimeShape(const Output& x, DType dtype = DType::kInt32);

// Zeros like an output of `op`: ZerosLike "zeros_like"; for a resource handle, zeros of the
// variable's shape and dtype. `as_constant`: a constant where the shape is known (tf.zeros_like).
Output ZerosLikeOutput(const Output& x, bool as_constant);

// A tensor of the shape that `dims` holds, each element `value`: "<name>" Fill, "<name>/Const".
Output FillWith(Graph& graph, const Output& dims, DType dtype, double value, std::string_view name);

// The same for a shape that is known (tf.zeros, tf.ones): a Const "<name>" below a thousand
// elements, else a Fill with "<name>/shape_as_tensor".
Output FilledTensor(Graph& graph, const Shape& shape, DType dtype, double value,
                    std::string_view name);

// The dtype of the variable that a resource tensor names; kInvalid where that cannot be seen.
DType HandleType(const Output& handle);

// The dtype of a tensor's values; of a resource, HandleType.
DType ContentType(const Output& x);

// The dimensions of a fully defined shape as an int32 vector (int64 when one needs it).
Tensor DimsTensor(const Shape& shape, DType dtype = DType::kInt32);

// Zeros of a fully defined shape, of any dtype whose zero is all bits zero.
Tensor ZerosTensor(DType dtype, const Shape& shape);

// A scalar of any numeric dtype. \error kInvalidArgument if the dtype is no number, or cannot hold
// it.
StatusOr<Tensor> NumberTensor(DType dtype, double value);

}  // namespace ramet
