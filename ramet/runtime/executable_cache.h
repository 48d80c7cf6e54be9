#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "ramet/base/mutex.h"
#include "ramet/runtime/executable.h"
#include "ramet/runtime/function_calls.h"
#include "ramet/runtime/node_kernels.h"
#include "ramet/runtime/placer.h"
#include "ramet/runtime/session_environment.h"

namespace ramet {

// An ExecutableCache compiles the runs of a session and keeps them, with their kernels and
// functions, for the next run with the same feeds and fetches. Thread-safe.
class ExecutableCache final : public KernelSource {
 public:
  // The graph and the environment must outlive the cache.
  ExecutableCache(const Graph& graph, const SessionEnvironment& environment,
                  const SessionOptions& options);

  // Returns the compiled run for a request: the same one as long as no node is edited.
  // \error the error of building the graph, if that failed.
  // \error as for CompilePlan.
  StatusOr<std::shared_ptr<Executable>> Get(const PlanRequest& request) RAMET_EXCLUDES(mutex_);

  const ExecutorSettings& settings() const override { return environment_.settings(); }
  StatusOr<std::vector<int>> Place(const GraphData& graph, std::span<const NodeId> nodes) override;
  StatusOr<std::shared_ptr<Kernel>> KernelFor(const GraphData& graph, NodeId node,
                                              int device) override RAMET_REQUIRES(mutex_);
  StatusOr<std::shared_ptr<FunctionCall>> CallFor(const GraphData& graph, NodeId node,
                                                  const std::vector<int>& input_devices) override
      RAMET_REQUIRES(mutex_);

 private:
  struct RequestHash {
    size_t operator()(const PlanRequest& request) const;
  };

  const Graph& graph_;
  const SessionEnvironment& environment_;
  const PlacerOptions placer_options_;
  Mutex mutex_;
  FunctionTable functions_;
  NodeKernels kernels_ RAMET_GUARDED_BY(mutex_);
  std::unordered_map<PlanRequest, std::shared_ptr<Executable>, RequestHash> executables_
      RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet
