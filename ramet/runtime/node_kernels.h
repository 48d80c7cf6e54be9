#pragma once

#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "ramet/runtime/function_calls.h"
#include "ramet/runtime/plan_compiler.h"

namespace ramet {

// Holds the kernels and function calls of one graph's nodes in one session. Plans share them while
// the node does not change. The caller must provide the locking.
class NodeKernels {
 public:
  // See KernelSource::KernelFor and CallFor. `caller` is the function whose body the graph is.
  StatusOr<std::shared_ptr<Kernel>> KernelFor(const GraphData& graph, NodeId node, int device,
                                              std::span<Device* const> devices);
  StatusOr<std::shared_ptr<FunctionCall>> CallFor(const GraphData& graph, NodeId node,
                                                  const std::vector<int>& input_devices,
                                                  FunctionTable& functions,
                                                  FunctionInstance* caller);

 private:
  struct KernelEntry {
    std::shared_ptr<const AttrMap> attrs;
    std::shared_ptr<Kernel> kernel;
  };
  struct CallEntry {
    std::shared_ptr<const AttrMap> attrs;
    std::vector<int> input_devices;
    std::shared_ptr<FunctionCall> call;
  };

  std::map<std::pair<NodeId, int>, KernelEntry> kernels_;
  std::map<NodeId, CallEntry> calls_;
};

}  // namespace ramet
