#pragma once

#include <vector>

#include "ramet/edit/clone/copied_edges.h"
#include "ramet/graph/infer_again.h"

namespace ramet {

// Returns the clone's tensors that stand for tensors of the source with a different static shape or
// a different known value. Call after the clone's nodes exist. The caller holds the locks of both
// graphs.
std::vector<ChangedTensor> FindChangedTensors(const CloneSelection& selection,
                                              const CopiedEdges& edges,
                                              const CloneMapping& mapping);

}  // namespace ramet
