#pragma once

#include "ramet/linalg/random.h"
#include "ramet/op/kernel.h"

namespace ramet {

// Returns the generator for a seed of two integers. The seed is scrambled with a fixed generator,
// so small seeds are as good as any.
// \error kInvalidArgument: "seed must have shape [2], not ...".
StatusOr<linalg::Philox> GeneratorFromSeed(const Tensor& seed);

// The state of a generator as three numbers: the low and high half of the counter, and the key.
using PhiloxState = std::array<uint64_t, 3>;
linalg::Philox PhiloxFromState(const PhiloxState& state);
PhiloxState StateOfPhilox(const linalg::Philox& generator);

}  // namespace ramet
