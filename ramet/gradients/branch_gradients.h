#pragma once

#include "ramet/gradients/gradient_context.h"

// The gradients of function calls. The forward call is changed to use functions that also return
// the tensors that the gradients need, and gets more outputs for them. The gradient is a call of
// the same kind to gradient functions. So nothing is computed twice, and random numbers and
// variables are those of the forward run.
namespace ramet {

// Adds the gradients of PartitionedCall, If, Case and their stateful or stateless variants.
Status BranchGradient(GradientContext& c);

}  // namespace ramet
