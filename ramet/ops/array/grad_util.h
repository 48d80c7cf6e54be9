#pragma once

#include "ramet/gradients/gradient_context.h"

namespace ramet {

// Like TensorFlow's Python functions tf.shape, tf.size and tf.rank, these return a constant if the
// answer is known when the graph is built, and add the op otherwise.
Output ShapeOf(GradientContext& c, const Output& x, DType type = DType::kInt32);
Output SizeOf(GradientContext& c, const Output& x, DType type = DType::kInt32);
Output RankOf(GradientContext& c, const Output& x);

// Returns the shape of the variable that a handle names, like resource_variable_ops.variable_shape.
Output VariableShapeOf(GradientContext& c, const Output& handle, DType type = DType::kInt32);

// Returns `grad` reshaped to the shape of `like`.
Output ReshapeLike(GradientContext& c, const Output& grad, const Output& like);
// Return x[begin:], x[:end] and x[i] of a vector.
Output SliceFrom(GradientContext& c, const Output& x, int begin);
Output SliceTo(GradientContext& c, const Output& x, const Input& end);
Output ElementAt(GradientContext& c, const Output& x, int i);
// Returns the concatenation of the vectors.
Output ConcatVectors(GradientContext& c, std::vector<Input> parts);

// The gradient function of an op whose output is its input.
Status PassGradient(GradientContext& c);

}  // namespace ramet
