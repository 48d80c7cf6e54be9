#pragma once

#include <span>
#include <unordered_set>

#include "ramet/runtime/pruned_graph.h"

namespace ramet {

// Returns the nodes that may be dead in a run with TensorFlow 1's control flow: those that depend
// on an output of a Switch that is not taken, or on a loop that does not get that far. `nodes` is
// sorted.
std::unordered_set<NodeId> FindMayBeDead(const PrunedGraph& graph, std::span<const NodeId> nodes);

}  // namespace ramet
