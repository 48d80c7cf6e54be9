#pragma once

#include <memory>

#include "ramet/op/function_runner.h"
#include "ramet/runtime/function_calls.h"
#include "ramet/runtime/session_environment.h"

namespace ramet {

// A SessionFunctions is the FunctionRunner of a session. It may outlive the session, and then
// refuses calls. Thread-safe.
class SessionFunctions final : public FunctionRunner,
                               public std::enable_shared_from_this<SessionFunctions> {
 public:
  // Makes the runner and installs it in the environment's resources. The graph and the environment
  // must exist until ShutDown.
  static std::shared_ptr<SessionFunctions> Install(const Graph& graph,
                                                   SessionEnvironment& environment,
                                                   const SessionOptions& options);
  StatusOr<std::shared_ptr<LibraryFunction>> Instantiate(const FunctionRef& function,
                                                         std::vector<DType> args,
                                                         ResultTypes results) override;
  CancellationToken& closed() override { return closed_; }
  // Cancels all calls and waits for their end. Later calls fail.
  void ShutDown();

 private:
  friend class SessionFunction;
  // One call of a function, or one compilation, that ShutDown waits for.
  class Use;
  SessionFunctions(const Graph& graph, const ExecutorSettings& settings, Device* device,
                   const SessionOptions& options);

  ExecutorSettings settings_;
  PlacerOptions placer_;
  std::unique_ptr<FunctionTable> table_;
  CancellationToken closed_;
  Mutex mutex_;
  CondVar unused_;
  int uses_ RAMET_GUARDED_BY(mutex_) = 0;
  bool shut_down_ RAMET_GUARDED_BY(mutex_) = false;
};

}  // namespace ramet
