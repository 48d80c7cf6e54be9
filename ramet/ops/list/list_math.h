#pragma once

#include "ramet/op/kernel.h"

namespace ramet {

// Zeros like the variants of input 0: lists of zeros like their elements, not set where those are
// not. \error kInvalidArgument if a variant is no list; kResourceExhausted.
Status ZerosLikeVariants(KernelContext& c);

// The sums of the variants of all inputs, which have one shape: lists of the sums of their
// elements; one that is not set counts as zeros.
// \error kInvalidArgument if a variant is no list, or lists differ in dtype, length or the shapes
//   of their elements; kResourceExhausted.
Status AddVariants(KernelContext& c);

}  // namespace ramet
