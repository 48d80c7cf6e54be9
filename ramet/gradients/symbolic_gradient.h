#pragma once

#include "ramet/gradients/gradient_context.h"

namespace ramet {

// Adds the gradients of a node whose op is a function, and of calls of functions that are recursive
// or have a registered gradient function. They are a SymbolicGradient.
Status SymbolicCallGradient(GradientContext& c);
// Adds the gradients of SymbolicGradient itself. Its gradient function and the gradient of that
// function are added to the library.
Status SymbolicGradientGradient(GradientContext& c);

}  // namespace ramet
