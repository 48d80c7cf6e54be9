#pragma once

#include "ramet/linalg/random.h"
#include "ramet/op/kernel.h"

namespace ramet {

// The size of the state of a Philox generator: the counter (two int64) and the key (one int64). A
// variable may have more elements, which do not matter.
inline constexpr int64_t kPhiloxStateSize = 3;

// Returns the generator of the variable that input 0 names, and advances the variable past `count`
// values. Input 1 is the algorithm.
// \error kInvalidArgument: the algorithm is unknown, or the variable is not a generator's state.
// \error kUnimplemented: the algorithm is ThreeFry.
StatusOr<linalg::Philox> TakeGenerator(KernelContext& c, int64_t count);

}  // namespace ramet
