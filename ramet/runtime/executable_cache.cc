#include "ramet/runtime/executable_cache.h"

#include "ramet/base/exception.h"

namespace ramet {

ExecutableCache::ExecutableCache(const Graph& graph, const SessionEnvironment& environment,
                                 const SessionOptions& options)
    : graph_(graph),
      environment_(environment),
      placer_options_{.devices = {environment.devices().begin(), environment.devices().end()},
                      .allow_soft_placement = options.allow_soft_placement,
                      .log_placement = options.log_device_placement},
      functions_(graph, environment.settings(), placer_options_) {}

size_t ExecutableCache::RequestHash::operator()(const PlanRequest& request) const {
  size_t hash = request.feeds.size();
  auto mix = [&hash](Endpoint e) {
    hash = (hash ^ (static_cast<size_t>(e.node) * 31 + static_cast<size_t>(e.index + 2))) *
           size_t{0x9E3779B97F4A7C15};
  };
  for (Endpoint e : request.feeds) mix(e);
  for (Endpoint e : request.fetches) mix(e);
  for (NodeId id : request.done) mix({id, Endpoint::kControl});
  return hash;
}

StatusOr<std::shared_ptr<Executable>> ExecutableCache::Get(const PlanRequest& request) {
  const GraphData& graph = GraphDataOf(graph_);
  MutexLock lock(mutex_);
  ReaderLock graph_lock(graph.mutex);
  RAMET_RETURN_IF_ERROR(graph.status);
  std::shared_ptr<Executable>& cached = executables_[request];
  if (cached && cached->plan().origin.edit_version == graph.edit_version) return cached;
  auto executable = Guarded([&] {
    graph.mutex.AssertReaderHeld();
    return Executable::Compile(graph, request, *this);
  });
  if (!executable.ok()) {
    executables_.erase(request);
    return executable.status();
  }
  cached = *std::move(executable);
  return cached;
}

StatusOr<std::vector<int>> ExecutableCache::Place(const GraphData& graph,
                                                  std::span<const NodeId> nodes) {
  return PlaceNodes(graph, nodes, placer_options_);
}

StatusOr<std::shared_ptr<Kernel>> ExecutableCache::KernelFor(const GraphData& graph, NodeId node,
                                                             int device) {
  return kernels_.KernelFor(graph, node, device, devices());
}

StatusOr<std::shared_ptr<FunctionCall>> ExecutableCache::CallFor(
    const GraphData& graph, NodeId node, const std::vector<int>& input_devices) {
  return kernels_.CallFor(graph, node, input_devices, functions_, nullptr);
}

}  // namespace ramet
