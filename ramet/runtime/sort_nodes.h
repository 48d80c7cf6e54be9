#pragma once

#include <vector>

#include "ramet/runtime/pruned_graph.h"

namespace ramet {

// Returns the nodes in an order in which each comes after its sources, except for the back edges of
// loops. That is the order of creation unless an edge points backward.
// \error kInvalidArgument: nodes are in a cycle that is not a loop.
// \error kUnimplemented: a node in a cycle has no kernel.
StatusOr<std::vector<NodeId>> SortNodes(const PrunedGraph& graph);

}  // namespace ramet
