#pragma once

#include "ramet/gradients/gradient_context.h"

namespace ramet {

// The gradients of function calls. The forward call is changed to use functions that also return
// the tensors that the gradients need, and gets more outputs for them. The gradient is a call of
// the same kind to gradient functions. So nothing is computed twice, and random numbers and
// variables are those of the forward run.

// PartitionedCall, If, Case and their stateful or stateless variants.
Status BranchGradient(GradientContext& c);
// While: each iteration pushes the values that the gradients need to lists, from which the gradient
// loop pops them.
// \error kUnimplemented: the gradients need a handle that an iteration makes.
Status FunctionalWhileGradient(GradientContext& c);
// A node whose op is a function, and calls of functions that are recursive or have a registered
// gradient function. Their gradient is a SymbolicGradient.
Status SymbolicCallGradient(GradientContext& c);
// SymbolicGradient itself. Its gradient function and the gradient of that function are added to the
// library.
Status SymbolicGradientGradient(GradientContext& c);

}  // namespace ramet
