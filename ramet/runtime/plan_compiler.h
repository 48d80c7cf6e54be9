#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ramet/runtime/plan.h"
#include "ramet/runtime/run_context.h"

namespace ramet {

// A KernelSource is what compiling a plan needs of a session or of a function's body.
class KernelSource {
 public:
  virtual ~KernelSource() = default;
  virtual const ExecutorSettings& settings() const = 0;
  std::span<Device* const> devices() const { return settings().devices; }
  // Returns the device of each node, as a position in devices().
  virtual StatusOr<std::vector<int>> Place(const GraphData& graph,
                                           std::span<const NodeId> nodes) = 0;
  // Returns the kernel of a node on a device: the same one as long as the node does not change.
  virtual StatusOr<std::shared_ptr<Kernel>> KernelFor(const GraphData& graph, NodeId node,
                                                      int device) = 0;
  // Returns the functions that a node calls, or null if it calls none; the same object as long as
  // the node does not change. `input_devices` has the device of the variable that each input names;
  // it is empty if all of them are in host memory.
  virtual StatusOr<std::shared_ptr<FunctionCall>> CallFor(
      const GraphData& graph, NodeId node, const std::vector<int>& input_devices) = 0;
};

// Compiles a request: prunes the graph to what the fetches need, cut at the feeds, and orders the
// nodes (OrderNodes); assigns them to devices; lays out the slots and determines when each is free
// again.
// \error as for OrderNodes, KernelSource::Place, KernelFor and CallFor.
StatusOr<std::unique_ptr<Plan>> CompilePlan(const GraphData& graph, const PlanRequest& request,
                                            KernelSource& source)
    RAMET_REQUIRES_SHARED(graph.mutex);

}  // namespace ramet
