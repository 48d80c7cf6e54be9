#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "ramet/device/device.h"
#include "ramet/graph/graph_impl.h"

namespace ramet {

// Says for each node of a plan on which device it runs.
struct PlacerOptions {
  std::vector<Device*> devices;  // of the session; the first is the default
  bool allow_soft_placement = false;
  bool log_placement = false;
  // What reads or writes a variable that one of these nodes names runs on this device.
  std::unordered_map<NodeId, int> pinned = {};
};

// `nodes` are placed by what they ask for, colocation groups and reference edges (their members run
// on one device), and what kernels there are. Returns a position in options.devices per node of
// `nodes`. The graph's lock is held. \error kInvalidArgument in TensorFlow's wording ("Cannot
// assign a device for operation ...") if a device is not there or has no kernel, without soft
// placement.
StatusOr<std::vector<int>> PlaceNodes(const GraphImpl& graph, std::span<const NodeId> nodes,
                                      const PlacerOptions& options);

}  // namespace ramet
