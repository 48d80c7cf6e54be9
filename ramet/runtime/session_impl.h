#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "ramet/base/mutex.h"
#include "ramet/runtime/element_resolver.h"
#include "ramet/runtime/executable.h"
#include "ramet/runtime/followed_source.h"
#include "ramet/runtime/function_calls.h"
#include "ramet/runtime/node_kernels.h"
#include "ramet/runtime/placer.h"
#include "ramet/runtime/restored_names.h"
#include "ramet/runtime/session.h"
#include "ramet/runtime/step_gate.h"
#include "ramet/runtime/step_observers.h"

namespace ramet {

// A SessionImpl is what a Session, its callables and partial runs share: devices, kernels, compiled
// runs and the values of variables. Thread-safe.
class SessionImpl final : public KernelSource {
 public:
  static StatusOr<std::shared_ptr<SessionImpl>> Create(Graph& graph, const SessionOptions& options);

  std::span<Device* const> devices() const override { return devices_; }
  StatusOr<std::vector<int>> Place(const GraphData& graph, std::span<const NodeId> nodes) override;
  StatusOr<std::shared_ptr<Kernel>> KernelFor(const GraphData& graph, NodeId node,
                                              int device) override RAMET_REQUIRES(mutex_);
  StatusOr<std::shared_ptr<FunctionCall>> CallFor(const GraphData& graph, NodeId node,
                                                  const std::vector<int>& input_devices) override
      RAMET_REQUIRES(mutex_);

  // Returns the compiled run for a request: the same one as long as the graph does not change.
  StatusOr<std::shared_ptr<Executable>> ExecutableFor(const PlanRequest& request)
      RAMET_EXCLUDES(mutex_);
  // Reports whether the session is open and the graph has not changed since compiling.
  bool IsCurrent(const Executable& executable) const;
  // Runs once, as Callable::Run does.
  Status Run(Executable& executable, std::span<const Tensor> feeds, std::span<Tensor> fetched,
             const RunOptions& options, RunMetadata* metadata);
  ElementResolver resolver() const { return ElementResolver(*graph_); }

  // Returns where the value of a variable of the graph is kept; null before its first use if
  // `create` is false.
  std::shared_ptr<VariableState> StateOf(const VariableRecord& record, bool create);
  // Copies a value to host memory from the device in whose memory it lies.
  StatusOr<Tensor> ToHost(const Tensor& value) const;
  void Close() { closed_.Cancel(); }

  Graph& graph() const { return *graph_; }
  const SessionOptions& options() const { return options_; }
  RestoredNames& restored() { return restored_; }
  // The gate that Publish closes to read all variables between two steps. Runs that write variables
  // pass through it.
  StepGate& gate() { return gate_; }
  FollowedSource& followed() { return followed_; }
  StepObservers& observers() { return observers_; }

 private:
  SessionImpl(Graph& graph, const SessionOptions& options)
      : graph_(&graph), options_(options), functions_(graph, settings_, placer_) {}
  Status RunWithOptions(Executable& executable, std::span<const Tensor> feeds,
                        std::span<Tensor> fetched, const RunOptions& options,
                        RunMetadata* metadata);
  Status RunWriting(Executable& executable, const RunContext& context,
                    std::span<const Tensor> feeds, std::span<Tensor> fetched);

  struct RequestHash {
    size_t operator()(const PlanRequest& request) const;
  };

  Graph* const graph_;
  const SessionOptions options_;
  std::vector<Device*> devices_;
  std::vector<KernelEnv> envs_;
  ExecutorSettings settings_;
  PlacerOptions placer_;
  ResourceStore resources_;
  Mutex mutex_;
  FunctionTable functions_;
  NodeKernels kernels_ RAMET_GUARDED_BY(mutex_);
  std::unordered_map<PlanRequest, std::shared_ptr<Executable>, RequestHash> executables_
      RAMET_GUARDED_BY(mutex_);
  RestoredNames restored_;
  StepGate gate_;
  FollowedSource followed_;
  StepObservers observers_;
  CancellationToken closed_;
};

// Returns the session's state, for the layers above that work on it.
std::shared_ptr<SessionImpl> ImplOf(const Session& session);

}  // namespace ramet
