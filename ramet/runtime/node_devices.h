#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "ramet/device/device.h"
#include "ramet/runtime/endpoint.h"
#include "ramet/runtime/feed_set.h"

namespace ramet {

// The NodeDevices of a plan say on which device each node runs and in whose memory its outputs are.
// A device is a position in the session's list; 0 is the host. The caller holds the graph's lock
// during its use.
class NodeDevices {
 public:
  // The graph and the feeds must outlive this object.
  NodeDevices(const GraphData& graph, const FeedSet& feeds, std::span<Device* const> devices)
      : graph_(graph), feeds_(feeds), devices_(devices) {}
  // Sets the devices of the variables that feeds name.
  void SetFeeds(const PlanRequest& request);
  // Sets the placement of the nodes. A NextIteration runs on the device of the Merge that it leads
  // to, wherever it was placed.
  void SetNodes(std::span<const NodeId> nodes, std::span<const int> placement);
  void MoveToHost(NodeId id) { device_of_[id] = 0; }

  bool Contains(NodeId id) const { return device_of_.contains(id); }
  int Of(NodeId id) const { return device_of_.at(id); }
  bool HasOwnMemory(int device) const { return devices_[device]->memory() != nullptr; }
  // Reports whether a node was placed on a device with memory of its own, or uses a variable whose
  // value an earlier run may have left there.
  bool has_several_memories() const { return has_several_memories_; }
  // Reports whether a node was placed on an asynchronous device, which reads values later.
  bool has_asynchronous_device() const { return has_asynchronous_device_; }
  // Returns the device in whose memory the value of an output is.
  int MemoryOf(Endpoint e) const;
  // Returns the device in whose memory the variable that each input names is. Returns an empty
  // vector if all of them are in host memory.
  std::vector<int> VariableMemories(NodeId id) const;

 private:
  bool VariablesMayBeOnDevice(std::span<const NodeId> nodes) const;
  int VariableMemory(Endpoint handle) const;

  const GraphData& graph_;
  const FeedSet& feeds_;
  const std::span<Device* const> devices_;
  bool has_several_memories_ = false;
  bool has_asynchronous_device_ = false;
  std::unordered_map<NodeId, int> device_of_;
  std::unordered_map<Endpoint, int, EndpointHash> fed_variables_;
};

}  // namespace ramet
