#pragma once

#include "ramet/graph/add_op.h"

namespace ramet {

// Converts an Input to a tensor (tf.convert_to_tensor). An Output is returned unchanged; a constant
// becomes a Const node `name` under the open scope. A plain C++ number gets `dtype` (if kInvalid,
// float for numbers with a fraction, otherwise int32). On an error, which the graph keeps, the
// result is invalid.
Output ToTensor(Graph& graph, const Input& input, DType dtype, std::string_view name);

// Converts `x` to `dtype`: returns `x` itself or a Cast node (tf.cast).
Output CastTo(const Output& x, DType dtype, std::string_view name = "Cast");

// Returns element i of a numeric tensor (the real part for complex dtypes).
// \error kInvalidArgument: the dtype is not numeric.
StatusOr<double> NumberAt(const Tensor& t, int64_t i);

// Reports whether the input is the plain C++ integer `value` (for TensorFlow's shortcuts for
// literal 0 and 1).
bool IsIntegerLiteral(const Input& input, int64_t value);

}  // namespace ramet
