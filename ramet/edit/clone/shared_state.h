#pragma once

#include <unordered_set>

#include "ramet/edit/clone/state_index.h"
#include "ramet/edit/clone_options.h"

namespace ramet {

// Returns the nodes of the state that a clone shares with the original instead of copying it,
// according to CloneOptions::variables and resources: the variables and resources themselves, their
// reads, initializers and checks. The caller holds the lock of the source.
// \error kInvalidArgument: state is shared, but the clone is in a different graph.
StatusOr<std::unordered_set<NodeId>> FindSharedState(const Graph& source, const StateIndex& index,
                                                     const CloneOptions& options);

}  // namespace ramet
