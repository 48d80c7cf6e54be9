#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "ramet/device/device.h"
#include "ramet/graph/graph_data.h"

namespace ramet {

// Configures how nodes are assigned to devices.
struct PlacerOptions {
  std::vector<Device*> devices;  // of the session; the first is the default
  bool allow_soft_placement = false;
  bool log_placement = false;
  // Forces nodes that read or write a variable to a device, by the node that names the variable.
  std::unordered_map<NodeId, int> pinned = {};
};

// Assigns a device to each node by its requested device, by colocation groups and reference edges,
// whose members share a device, and by the available kernels. Nodes that request no type of device
// run on the first GPU that has a kernel for them, otherwise on the default device. Returns
// positions in options.devices, one per element of `nodes`. The caller holds the graph's lock.
// \error kInvalidArgument: without soft placement, a device does not exist or has no kernel. The
//   message is TensorFlow's ("Cannot assign a device for operation ...").
StatusOr<std::vector<int>> PlaceNodes(const GraphData& graph, std::span<const NodeId> nodes,
                                      const PlacerOptions& options);

}  // namespace ramet
