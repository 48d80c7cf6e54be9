#pragma once

#include <ramet/ramet.h>

#include <map>
#include <memory>
#include <vector>

#include "model/model_version.h"

namespace server {

// SessionPlans run a session. They keep the resolved feeds and fetches of earlier runs, at most
// kMaxPlans of them. Thread-safe.
class SessionPlans {
 public:
  static constexpr size_t kMaxPlans = 256;

  // The session must outlive this object.
  explicit SessionPlans(ramet::Session& session) : session_(session) {}

  ramet::Session& session() const { return session_; }
  // Runs the graph. RunResult::answered_by is left empty, but if the session follows a publisher,
  // it is the published version.
  // \error kDeadlineExceeded: the deadline passed before the run or during it.
  // \error as for ramet::Session::MakeCallable and ramet::Callable::Run.
  ramet::StatusOr<RunResult> Run(const RunTensors& tensors, const std::vector<ramet::Tensor>& feeds,
                                 const RunLimits& limits);

 private:
  using Plan = std::shared_ptr<const ramet::Callable>;
  ramet::StatusOr<Plan> FindOrMake(const RunTensors& tensors);

  ramet::Session& session_;
  ramet::SharedMutex mutex_;
  std::map<RunTensors, Plan> plans_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace server
