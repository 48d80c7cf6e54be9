#pragma once

#include "ramet/op/kernel.h"

namespace ramet::gpu {

// Moves the value of the variable that input i names to the device's memory, if it is elsewhere (a
// restored or followed value of a resource variable).
// \error as Device::CopyFromHost.
Status MoveVariableToDevice(KernelContext& context, int i);

// Checks that input i is the handle of a resource variable that has a value.
// \error kInvalidArgument: the input is not a handle.
// \error kNotFound: the variable has no value.
Status CheckHandle(KernelContext& context, int i, std::string_view name);

}  // namespace ramet::gpu
