#pragma once

#include <ramet/ramet.h>

#include <memory>
#include <optional>
#include <vector>

#include "batching/batcher.h"
#include "model/recent_runs.h"
#include "model/run_observer.h"
#include "model/session_plans.h"

namespace server {

// How the requests of a version are run.
struct RunnerOptions {
  BatchScheduler* scheduler = nullptr;  // outlives the runner
  std::optional<BatchingParameters> batching = {};
  BatchObserver on_batch = {};
  RunObserver on_run = {};
  std::shared_ptr<RecentRuns> recent = {};  // null: runs are not kept
  std::optional<int64_t> version = {};      // that answers; empty: the one that the session follows
};

// A GraphRunner runs requests on a session, alone or in batches. Thread-safe.
class GraphRunner {
 public:
  // The session must outlive the runner, and the runner all requests.
  GraphRunner(ramet::Session& session, const RunnerOptions& options);

  // Runs a request as ModelVersion::Run does.
  void Run(const RunTensors& tensors, std::vector<ramet::Tensor> feeds, const RunLimits& limits,
           RunDone done);
  const ramet::Session& session() const { return plans_.session(); }

 private:
  ramet::StatusOr<RunResult> RunNow(const RunTensors& tensors,
                                    const std::vector<ramet::Tensor>& feeds,
                                    const RunLimits& limits);

  const std::optional<int64_t> version_;
  const RunObserver on_run_;
  const std::shared_ptr<RecentRuns> recent_;
  SessionPlans plans_;
  std::optional<Batcher> batcher_;
};

}  // namespace server
