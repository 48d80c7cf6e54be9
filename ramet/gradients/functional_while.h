#pragma once

#include "ramet/gradients/gradient_context.h"

namespace ramet {

// Adds the gradients of While as in branch_gradients.h: each iteration pushes the values that the
// gradients need to lists, from which the gradient loop pops them.
// \error kUnimplemented: the gradients need a handle that an iteration makes.
Status FunctionalWhileGradient(GradientContext& c);

}  // namespace ramet
