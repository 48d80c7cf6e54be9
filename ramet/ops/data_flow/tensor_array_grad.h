#pragma once

#include "ramet/gradients/gradient_context.h"

namespace ramet::tensor_array {

// The gradients of the ops on a TensorArray pass through another one, which belongs to the call of
// Gradients that makes them: what a read, gather or concat takes from the array is written to its
// gradient, what a write, scatter or split puts in is read from there. The flow carries the order.
Status ReadGradient(GradientContext& c);
Status WriteGradient(GradientContext& c);
Status GatherGradient(GradientContext& c);
Status ScatterGradient(GradientContext& c);
Status ConcatGradient(GradientContext& c);
Status SplitGradient(GradientContext& c);

}  // namespace ramet::tensor_array
