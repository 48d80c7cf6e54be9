#pragma once

#include "ramet/runtime/fusion_builder.h"

namespace ramet {

// Fuses element-wise steps, reductions of rows, and the assignment of a result, into one pass over
// memory (FusedElementwise). Operands may broadcast. A value that other steps read is an output of
// the fused step.
void FuseElementwise(FusionBuilder* builder);

}  // namespace ramet
