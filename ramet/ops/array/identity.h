#pragma once

#include "ramet/op/kernel.h"

namespace ramet {

// The kernel of Identity: output 0 is input 0. If the input names a variable, the output names it
// too, so its consumers see the value that the variable has when they run.
// \error kFailedPrecondition: the variable is uninitialized.
Status ForwardInput(KernelContext& c);

}  // namespace ramet
