#pragma once

#include "ramet/runtime/fusion_builder.h"

namespace ramet {

// Fuses sums, differences and products of one shape, and the assignment of their result, into one
// pass over memory (FusedElementwise).
void FuseElementwise(FusionBuilder* builder);

}  // namespace ramet
