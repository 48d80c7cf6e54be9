#pragma once

#include <memory>

#include "ramet/runtime/element_resolver.h"
#include "ramet/runtime/executable_cache.h"
#include "ramet/runtime/followed_source.h"
#include "ramet/runtime/restored_names.h"
#include "ramet/runtime/session.h"
#include "ramet/runtime/session_environment.h"
#include "ramet/runtime/session_functions.h"
#include "ramet/runtime/step_gate.h"
#include "ramet/runtime/step_observers.h"

namespace ramet {

// A SessionImpl is what a Session, its callables and partial runs share: the environment of the
// runs, the compiled runs, and the points that publishers and followers attach to. Thread-safe.
class SessionImpl {
 public:
  static StatusOr<std::shared_ptr<SessionImpl>> Create(Graph& graph, const SessionOptions& options);
  ~SessionImpl();
  SessionImpl(const SessionImpl&) = delete;
  SessionImpl& operator=(const SessionImpl&) = delete;

  // Returns the compiled run for a request: the same one as long as no node is edited.
  // \error kFailedPrecondition: the session is closed.
  // \error as for ExecutableCache::Get.
  StatusOr<std::shared_ptr<Executable>> ExecutableFor(const PlanRequest& request);
  // Reports whether the session is open and the graph has not changed since compiling.
  bool IsCurrent(const Executable& executable) const;
  // Runs once, as Callable::Run does.
  Status Run(Executable& executable, std::span<const Tensor> feeds, std::span<Tensor> fetched,
             const RunOptions& options, RunMetadata* metadata);
  ElementResolver resolver() const { return ElementResolver(graph_); }

  // Returns where the value of a variable of the graph is kept; null before its first use if
  // `create` is false.
  std::shared_ptr<VariableState> StateOf(const VariableRecord& record, bool create);
  // Copies a value to host memory from the device in whose memory it is.
  StatusOr<Tensor> ToHost(const Tensor& value) const { return environment_->ToHost(value); }
  void Close();

  Graph& graph() const { return graph_; }
  std::span<Device* const> devices() const { return environment_->devices(); }
  const SessionOptions& options() const { return options_; }
  RestoredNames& restored() { return restored_; }
  // The gate that Publish closes to read all variables between two steps. Runs that write variables
  // pass through it.
  StepGate& gate() { return gate_; }
  FollowedSource& followed() { return followed_; }
  StepObservers& observers() { return observers_; }

 private:
  SessionImpl(Graph& graph, const SessionOptions& options,
              std::unique_ptr<SessionEnvironment> environment);
  Status RunWithOptions(Executable& executable, std::span<const Tensor> feeds,
                        std::span<Tensor> fetched, const RunOptions& options,
                        RunMetadata* metadata);
  Status RunWriting(Executable& executable, const RunContext& context,
                    std::span<const Tensor> feeds, std::span<Tensor> fetched);

  Graph& graph_;
  const SessionOptions options_;
  const std::unique_ptr<SessionEnvironment> environment_;
  const std::shared_ptr<SessionFunctions> functions_;
  ExecutableCache executables_;
  RestoredNames restored_;
  StepGate gate_;
  FollowedSource followed_;
  StepObservers observers_;
  CancellationToken closed_;
};

// Returns the session's state, for the layers above that work on it.
std::shared_ptr<SessionImpl> ImplOf(const Session& session);

}  // namespace ramet
