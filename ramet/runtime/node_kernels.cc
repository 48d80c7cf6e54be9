#include "ramet/runtime/node_kernels.h"

#include "ramet/base/exception.h"

namespace ramet {

StatusOr<std::shared_ptr<Kernel>> NodeKernels::KernelFor(const GraphData& graph, NodeId id,
                                                         int device,
                                                         std::span<Device* const> devices) {
  const NodeRecord& node = graph.nodes[id];
  KernelEntry& entry = kernels_[{id, device}];
  if (entry.kernel && entry.attrs == node.attrs) return entry.kernel;
  RAMET_ASSIGN_OR_RETURN(
      const KernelRegistration* registration,
      node.op->FindKernel(devices[device]->kernel_type(), *node.attrs, node.name));
  const OpSchema& schema = node.op->schema();
  KernelNode kernel_node{std::string(node.name), schema.name, node.attrs.get(), {}, {}};
  RAMET_ASSIGN_OR_RETURN(kernel_node.input_types, schema.Expand(schema.inputs, *node.attrs));
  RAMET_ASSIGN_OR_RETURN(kernel_node.output_types, schema.Expand(schema.outputs, *node.attrs));
  auto kernel = Guarded([&] { return registration->Make(kernel_node); });
  if (!kernel.ok()) {
    return kernel.status().WithContext(StrCat("node '", node.name, "' (", schema.name, ")"));
  }
  entry = {node.attrs, std::shared_ptr<Kernel>(*std::move(kernel))};
  return entry.kernel;
}

StatusOr<std::shared_ptr<FunctionCall>> NodeKernels::CallFor(const GraphData& graph, NodeId id,
                                                             const std::vector<int>& input_devices,
                                                             FunctionTable& functions,
                                                             FunctionInstance* caller) {
  const NodeRecord& node = graph.nodes[id];
  CallEntry& entry = calls_[id];
  if (entry.call && entry.attrs == node.attrs && entry.input_devices == input_devices) {
    return entry.call;
  }
  auto call = FunctionCall::Make(node, input_devices, functions, caller);
  if (!call.ok()) {
    return call.status().WithContext(StrCat("node '", node.name, "' (", node.op->name(), ")"));
  }
  entry = {node.attrs, input_devices, *std::move(call)};
  return entry.call;
}

}  // namespace ramet
