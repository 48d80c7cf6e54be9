#pragma once

#include <span>
#include <string>
#include <vector>

#include "ramet/graph/graph_data.h"

namespace ramet {

// The part of a run on one device.
struct Partition {
  std::string device;  // full name
  std::vector<NodeId> nodes;
  std::span<const Endpoint> feeds;    // of the whole run
  std::span<const Endpoint> fetches;  // of the whole run; only nodes of this part count
};

// Returns the partition as a serialized GraphDef: its nodes with their devices, an `_Arg` node for
// each fed tensor that they read, and a `_Retval` node for each fetched one. Inputs from other
// devices keep their names, so that all partitions of a run together form one graph. The caller
// holds the graph's lock. Errors are those of ExportGraphDef.
StatusOr<std::string> ExportPartition(const Graph& graph, const Partition& partition);

}  // namespace ramet
