#pragma once

#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "ramet/runtime/function_calls.h"
#include "ramet/runtime/plan.h"

namespace ramet {

// What the nodes of one graph have in one session: kernels, and the functions that they call. The
// same ones as long as a node stays as it is, whichever plan it is part of. Callers guard it.
class NodeKernels {
 public:
  // As KernelSource::KernelFor and CallFor. `caller` is the function whose body the graph is.
  StatusOr<std::shared_ptr<Kernel>> KernelFor(const GraphImpl& graph, NodeId node, int device,
                                              std::span<Device* const> devices);
  StatusOr<std::shared_ptr<FunctionCall>> CallFor(const GraphImpl& graph, NodeId node,
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
