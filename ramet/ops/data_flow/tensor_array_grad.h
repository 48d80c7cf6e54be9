#pragma once

#include "ramet/gradients/gradient_context.h"

namespace ramet::tensor_array {

// The gradients of TensorArray ops pass through a second TensorArray, which belongs to the call of
// Gradients that creates it. The gradient of a read, gather or concat writes to it; the gradient of
// a write, scatter or split reads from it. The flow determines the order.
Status ReadGradient(GradientContext& c);
Status WriteGradient(GradientContext& c);
Status GatherGradient(GradientContext& c);
Status ScatterGradient(GradientContext& c);
Status ConcatGradient(GradientContext& c);
Status SplitGradient(GradientContext& c);

}  // namespace ramet::tensor_array
