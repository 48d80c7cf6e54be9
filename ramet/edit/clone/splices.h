#pragma once

#include <vector>

#include "ramet/edit/clone/boundary.h"
#include "ramet/edit/clone/stripped_parts.h"

namespace ramet {

// Splices operations that only pass on their input out of the selected part: CheckNumerics, and
// Identity and StopGradient without control edges. Exceptions are reads of variables, outputs,
// leaders of colocation groups, and nodes in branches and loops. The caller holds the lock of the
// source.
void SplicePassThroughs(const GraphData& impl, const CloneBoundary& boundary,
                        std::vector<uint8_t>* selected, StrippedParts* stripped);

}  // namespace ramet
