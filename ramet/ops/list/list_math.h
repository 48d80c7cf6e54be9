#pragma once

#include "ramet/op/kernel.h"

namespace ramet {

// Sets output 0 to zeros like the variants of input 0: lists of zeros like their elements. Elements
// that are not set stay unset.
// \error kInvalidArgument: a variant is not a list.
// \error kResourceExhausted: out of memory, or too many nested lists.
Status ZerosLikeVariants(KernelContext& c);

// Sets output 0 to the sums of the variants of all inputs, which must have the same shape: lists of
// the sums of their elements. An element that is not set counts as zeros.
// \error kInvalidArgument: a variant is not a list; lists differ in dtype, length or element shape.
// \error kResourceExhausted: out of memory, or too many nested lists.
Status AddVariants(KernelContext& c);

}  // namespace ramet
