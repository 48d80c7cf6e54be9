#pragma once

#include "ramet/runtime/fusion_builder.h"

namespace ramet {

// Fuses trees of steps whose kernels are FusableKernels of one device into one kernel.
void FuseOnDevices(FusionBuilder* builder);

}  // namespace ramet
