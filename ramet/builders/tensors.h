#pragma once

#include "ramet/graph/add_op.h"

namespace ramet {

// What a builder makes of an Input where it needs a tensor (tf.convert_to_tensor): an Output is
// returned as it is; a constant becomes a Const node `name` under the open scope. A plain C++
// number takes `dtype` (kInvalid: float for numbers with a fraction, else int32). Invalid after an
// error, which the graph keeps.
Output ToTensor(Graph& graph, const Input& input, DType dtype, std::string_view name);

// `x` as `dtype`: itself, or a Cast node (tf.cast).
Output CastTo(const Output& x, DType dtype, std::string_view name = "Cast");

// Element i of a numeric tensor (real part of complex ones).
// \error kInvalidArgument if the dtype is not numeric.
StatusOr<double> NumberAt(const Tensor& t, int64_t i);

// Whether the input is the plain C++ integer `value` (TensorFlow's literal 0 and 1 short cuts).
bool IsIntegerLiteral(const Input& input, int64_t value);

}  // namespace ramet
