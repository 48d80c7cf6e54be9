#pragma once

#include "ramet/op/kernel.h"

namespace ramet {

// The kernel of Identity: output 0 is input 0. If the input names a variable, the output names it
// too, so its consumers see the value that the variable has when they run.
Status ForwardInput(KernelContext& c);

// Makes output i the value that input i has now, or the handle of a variable that input i is.
// \error kInvalidArgument: the input is a handle without a variable.
Status ForwardValue(KernelContext& c, int i);

}  // namespace ramet
