#pragma once

#include "ramet/linalg/random.h"
#include "ramet/op/kernel.h"
#include "ramet/op/shape_context.h"

namespace ramet {

// Returns the generator for a seed of two integers. The seed is scrambled with a fixed generator,
// so small seeds are as good as any.
// \error kInvalidArgument: "seed must have shape [2], not ...".
StatusOr<linalg::Philox> GeneratorFromSeed(const Tensor& seed);

// Returns the generator for the inputs 1 to 3 of a kernel: key [1], counter [2] and algorithm.
// \error kInvalidArgument: an input has the wrong shape, or the number of the algorithm is unknown.
// \error kUnimplemented: the algorithm is ThreeFry.
StatusOr<linalg::Philox> GeneratorFromKey(const KernelContext& c);

// Checks the shape of a seed of two integers, of input 1.
// \error kInvalidArgument: "seed must have shape [2], not ...".
Status CheckSeedShape(ShapeContext& c);
// Checks the ranks of the inputs 1 to 3: key, counter and algorithm.
Status CheckKeyShapes(ShapeContext& c);

// The state of a generator as three numbers: the low and high half of the counter, and the key.
using PhiloxState = std::array<uint64_t, 3>;
linalg::Philox PhiloxFromState(const PhiloxState& state);
PhiloxState StateOfPhilox(const linalg::Philox& generator);

}  // namespace ramet
