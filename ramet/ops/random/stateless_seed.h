#pragma once

#include "ramet/linalg/random.h"
#include "ramet/op/kernel.h"

namespace ramet {

// Returns the generator for a seed of two integers. The seed is scrambled with a fixed generator,
// so small seeds are as good as any.
// \error kInvalidArgument: "seed must have shape [2], not ...".
StatusOr<linalg::Philox> GeneratorFromSeed(const Tensor& seed);

}  // namespace ramet
