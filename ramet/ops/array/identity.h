#pragma once

#include "ramet/op/kernel.h"

namespace ramet {

// The kernel of Identity: output 0 is input 0. Where the input names a variable, the output names
// it too, so that its consumers see the value that the variable has when they run. \error
// kFailedPrecondition if that variable is uninitialised.
Status ForwardInput(KernelContext& c);

}  // namespace ramet
