#pragma once

#include "ramet/gradients/gradient_context.h"

namespace ramet {

// What TensorFlow's Python functions of these names add: constants where the answer is known while
// building, else the op.
Output ShapeOf(GradientContext& c, const Output& x, DType type = DType::kInt32);
Output SizeOf(GradientContext& c, const Output& x, DType type = DType::kInt32);
Output RankOf(GradientContext& c, const Output& x);

// The shape of the variable that a handle names (resource_variable_ops.variable_shape).
Output VariableShapeOf(GradientContext& c, const Output& handle, DType type = DType::kInt32);

// `grad` in the shape of `like`.
Output ReshapeLike(GradientContext& c, const Output& grad, const Output& like);
// x[begin:], x[:end] and x[i] of a vector.
Output SliceFrom(GradientContext& c, const Output& x, int begin);
Output SliceTo(GradientContext& c, const Output& x, const Input& end);
Output ElementAt(GradientContext& c, const Output& x, int i);
// The vectors one after another.
Output ConcatVectors(GradientContext& c, std::vector<Input> parts);

// The gradient of an op whose output is its input.
Status PassGradient(GradientContext& c);

}  // namespace ramet
