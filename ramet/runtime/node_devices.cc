#include "ramet/runtime/node_devices.h"

#include <algorithm>

#include "ramet/op/control_flow.h"
#include "ramet/runtime/host_memory.h"

namespace ramet {

void NodeDevices::SetFeeds(const PlanRequest& request) {
  for (size_t i = 0; i < request.feed_devices.size(); ++i) {
    fed_variables_[request.feeds[i]] = request.feed_devices[i];
  }
}

void NodeDevices::SetNodes(std::span<const NodeId> nodes, std::span<const int> placement) {
  for (size_t i = 0; i < nodes.size(); ++i) device_of_[nodes[i]] = placement[i];
  has_several_memories_ = std::ranges::any_of(placement, [&](int d) { return HasOwnMemory(d); }) ||
                          VariablesMayBeOnDevice(nodes);
  has_asynchronous_device_ =
      std::ranges::any_of(placement, [&](int d) { return devices_[d]->asynchronous(); });
  for (NodeId id : nodes) {
    if (ControlFlowOf(*graph_.nodes[id].op) != ControlFlow::kMerge) continue;
    for (Endpoint e : graph_.inputs(id)) {
      const bool is_back_edge =
          ControlFlowOf(*graph_.nodes[e.node].op) == ControlFlow::kNextIteration;
      if (is_back_edge && !feeds_.Contains(e)) device_of_[e.node] = device_of_[id];
    }
  }
}

// The nodes of a variable run on the host if one of them has no kernel on the device. In a
// different run, with other nodes, they may all run on the device.
bool NodeDevices::VariablesMayBeOnDevice(std::span<const NodeId> nodes) const {
  const auto has_own_kernels = [](const Device* device) {
    return device->memory() != nullptr && device->kernel_type() == device->type();
  };
  if (std::ranges::none_of(devices_, has_own_kernels)) return false;
  return std::ranges::any_of(nodes, [&](NodeId id) {
    for (int32_t i = 0; i < graph_.nodes[id].num_outputs; ++i) {
      const DType dtype = graph_.output({id, i}).dtype;
      if (IsRef(dtype) || dtype == DType::kResource) return true;
    }
    return false;
  });
}

int NodeDevices::MemoryOf(Endpoint e) const {
  if (feeds_.Contains(e)) return 0;
  const NodeRecord& node = graph_.nodes[e.node];
  if (ControlFlowOf(*node.op) == ControlFlow::kExit) return MemoryOf(graph_.inputs(e.node)[0]);
  const int device = device_of_.at(e.node);
  if (!HasOwnMemory(device)) return 0;
  const std::vector<bool> host = InHostMemory(*node.op, node.op->schema().outputs, *node.attrs);
  return static_cast<size_t>(e.index) < host.size() && host[e.index] ? 0 : device;
}

std::vector<int> NodeDevices::VariableMemories(NodeId id) const {
  std::vector<int> memories;
  if (!has_several_memories_ && fed_variables_.empty()) return memories;
  for (Endpoint e : graph_.inputs(id)) {
    const bool is_handle = graph_.output(e).dtype == DType::kResource;
    memories.push_back(is_handle ? VariableMemory(e) : 0);
  }
  return memories;
}

int NodeDevices::VariableMemory(Endpoint handle) const {
  if (auto fed = fed_variables_.find(handle); fed != fed_variables_.end()) return fed->second;
  if (feeds_.Contains(handle)) return 0;
  const int device = device_of_.at(handle.node);
  return HasOwnMemory(device) ? device : 0;
}

}  // namespace ramet
