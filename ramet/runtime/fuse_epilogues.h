#pragma once

#include "ramet/runtime/fusion_builder.h"

namespace ramet {

// Fuses kernels that can apply an epilogue with the addition, and perhaps the Relu, that alone
// reads their output.
void FuseEpilogues(FusionBuilder* builder);

}  // namespace ramet
