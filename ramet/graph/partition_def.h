#pragma once

#include <span>
#include <string>
#include <vector>

#include "ramet/graph/graph_impl.h"

namespace ramet {

// The part of a run that one device does.
struct Partition {
  std::string device;  // full name
  std::vector<NodeId> nodes;
  std::span<const Endpoint> feeds;    // of the whole run
  std::span<const Endpoint> fetches;  // likewise; those that are no node of this part do not count
};

// The part as a serialised GraphDef: its nodes with the device that they run on, an `_Arg` node in
// the place of each fed tensor that they read, a `_Retval` node for each fetched one. What comes
// from another device keeps its name, so that the parts of a run together are one graph. The
// graph's lock is held. \error as ExportGraphDef.
StatusOr<std::string> ExportPartition(const GraphImpl& graph, const Partition& partition);

}  // namespace ramet
