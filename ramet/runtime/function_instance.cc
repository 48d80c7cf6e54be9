#include "ramet/runtime/function_instance.h"

#include "ramet/runtime/endpoint.h"

namespace ramet {

FunctionInstance::FunctionInstance(FunctionTable& table, const FunctionUse& use,
                                   std::shared_ptr<const FunctionBody> body,
                                   FunctionInstance* caller)
    : table_(table),
      body_(std::move(body)),
      caller_(caller),
      is_inlined_(use.is_inlined),
      all_effects_(use.all_effects),
      arg_devices_(use.arg_devices),
      settings_(table.settings()) {
  settings_.graph = &GraphDataOf(*body_->graph);
  settings_.function = &body_->ref.name;
  for (const Output& result : body_->returns) result_types_.push_back(result.dtype());
}

bool FunctionInstance::Serves(const FunctionUse& use, const FunctionBody& body) const {
  return body_.get() == &body && is_inlined_ == use.is_inlined && all_effects_ == use.all_effects &&
         arg_devices_ == use.arg_devices;
}

Status FunctionInstance::Compile() {
  PlanRequest request;
  for (const Output& arg : body_->args) request.feeds.push_back(ToEndpoint(arg));
  request.feed_devices = arg_devices_;
  for (const Output& result : body_->returns) request.fetches.push_back(ToEndpoint(result));
  auto also_run = [&](const std::vector<Operation>& ops) {
    for (const Operation& op : ops) request.fetches.push_back({op.id(), Endpoint::kControl});
  };
  also_run(body_->controls);
  if (all_effects_) also_run(body_->effects);
  const GraphData& graph = GraphDataOf(*body_->graph);
  ReaderLock lock(graph.mutex);
  auto executable = Executable::Compile(graph, request, *this);
  if (!executable.ok()) return executable.status().WithContext(StrCat("function '", name(), "'"));
  executable_ = *std::move(executable);
  return OkStatus();
}

StatusOr<std::vector<int>> FunctionInstance::Place(const GraphData& graph,
                                                   std::span<const NodeId> nodes) {
  PlacerOptions options = table_.placer();
  for (size_t i = 0; i < arg_devices_.size(); ++i) {
    if (arg_devices_[i] > 0) options.pinned.emplace(body_->args[i].op().id(), arg_devices_[i]);
  }
  return PlaceNodes(graph, nodes, options);
}

StatusOr<std::shared_ptr<Kernel>> FunctionInstance::KernelFor(const GraphData& graph, NodeId node,
                                                              int device) {
  return kernels_.KernelFor(graph, node, device, devices());
}

StatusOr<std::shared_ptr<FunctionCall>> FunctionInstance::CallFor(
    const GraphData& graph, NodeId node, const std::vector<int>& input_devices) {
  return kernels_.CallFor(graph, node, input_devices, table_, this);
}

}  // namespace ramet
