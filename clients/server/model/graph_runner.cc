#include "model/graph_runner.h"

#include <utility>

namespace server {

GraphRunner::GraphRunner(ramet::Session& session, const RunnerOptions& options)
    : version_(options.version), on_run_(options.on_run), recent_(options.recent), plans_(session) {
  if (!options.batching) return;
  batcher_.emplace(
      *options.scheduler, *options.batching,
      [this](const RunTensors& tensors, const std::vector<ramet::Tensor>& feeds,
             const RunLimits& limits) { return RunNow(tensors, feeds, limits); },
      options.on_batch);
}

void GraphRunner::Run(const RunTensors& tensors, std::vector<ramet::Tensor> feeds,
                      const RunLimits& limits, RunDone done) {
  if (recent_) recent_->Note(tensors, feeds);
  if (batcher_) return batcher_->Run(tensors, std::move(feeds), limits, std::move(done));
  done(RunNow(tensors, feeds, limits));
}

ramet::StatusOr<RunResult> GraphRunner::RunNow(const RunTensors& tensors,
                                               const std::vector<ramet::Tensor>& feeds,
                                               const RunLimits& limits) {
  const auto start = std::chrono::steady_clock::now();
  auto result = plans_.Run(tensors, feeds, limits);
  if (!result.ok()) return result;
  if (version_) result->answered_by = {.version = *version_};
  result->answered_by.run_time = std::chrono::steady_clock::now() - start;
  if (on_run_) on_run_(result->answered_by.run_time);
  return result;
}

}  // namespace server
