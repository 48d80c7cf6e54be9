#pragma once

#include "ramet/runtime/fusion_builder.h"

namespace ramet {

// Makes kernels keep the packed form of an operand (WeightsKernel) that is a constant or a
// variable. A variable that the plan writes has a new version in each run, so it is packed in loops
// only.
void PackWeights(FusionBuilder* builder);

}  // namespace ramet
