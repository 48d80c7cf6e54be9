#pragma once

#include "ramet/op/op.h"

namespace ramet {

// Reports whether the kernels of an op do nothing but compute tensors from tensors: no state, no
// files, no random numbers, no functions. Two such nodes with equal inputs and attrs have equal
// outputs, and one whose outputs nothing reads need not run.
bool IsPure(const Op& op);

// Reports whether a kernel may pass on the variable that its first input names instead of its
// value.
bool ForwardsVariables(const Op& op);

// Reports whether the output of an op has the shape of its only input, and the op cannot fail.
bool KeepsShape(const Op& op);

}  // namespace ramet
