#pragma once

#include "ramet/runtime/fusion_builder.h"

namespace ramet {

// Fuses kernels that can apply an epilogue with the addition, and perhaps the Relu, that alone
// reads their output.
void FuseEpilogues(FusionBuilder* builder);
// Like FuseEpilogues, for the steps of devices with memory of their own. An addition that is a part
// of another kernel is left there, since moving it would not save a launch.
void FuseEpiloguesOnDevices(FusionBuilder* builder);

}  // namespace ramet
