#pragma once

#include "ramet/gradients/gradient_context.h"

namespace ramet {

// The gradients of calls of functions. The forward operation gets functions that return besides
// what the gradients need of them, and more outputs for that; the gradient is a call of the same
// kind of functions made for it. So nothing is computed twice, and random numbers and variables
// are those of the forward run.

// PartitionedCall, If, Case and their stateful or stateless likes.
Status BranchGradient(GradientContext& c);
// While: what each iteration leaves to the gradients goes to lists, which a loop of gradients takes
// apart. \error kUnimplemented if an iteration makes a handle that the gradients would need.
Status FunctionalWhileGradient(GradientContext& c);
// A node whose op is a function, and calls of functions that have a gradient function of their own
// or call themselves: SymbolicGradient.
Status SymbolicCallGradient(GradientContext& c);
// SymbolicGradient again: its gradient function and the gradient of that become functions of the
// library.
Status SymbolicGradientGradient(GradientContext& c);

}  // namespace ramet
