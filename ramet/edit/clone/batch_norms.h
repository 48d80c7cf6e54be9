#pragma once

#include "ramet/edit/clone/state_index.h"
#include "ramet/edit/clone/stripped_parts.h"

namespace ramet {

// Freezes the training batch norms whose moving averages are known: both averages that the batch's
// statistics update are variables of the source. The caller holds the lock of the source.
void FreezeBatchNorms(const GraphData& impl, const StateIndex& index, StrippedParts* stripped);

}  // namespace ramet
