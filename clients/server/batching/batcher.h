#pragma once

#include <ramet/ramet.h>

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "batching/batch_event.h"
#include "batching/batch_scheduler.h"

namespace server {

// A Batcher runs the requests of one model's version in batches. Requests with the same tensors
// share a queue. Thread-safe.
class Batcher {
 public:
  using RunBatch = std::function<ramet::StatusOr<RunResult>(
      const RunTensors& tensors, const std::vector<ramet::Tensor>& feeds, const RunLimits& limits)>;

  // The scheduler must outlive this object.
  // `observe`, which may be null, is called before each run.
  Batcher(BatchScheduler& scheduler, const BatchingParameters& parameters, RunBatch run,
          BatchObserver observe = nullptr);
  // No request may be waiting.
  ~Batcher();
  Batcher(const Batcher&) = delete;
  Batcher& operator=(const Batcher&) = delete;

  // Runs a request, alone or with others, and passes the result to `done`.
  // \error kInvalidArgument: the feeds are not rows, or there are too many of them.
  // \error kUnavailable: the queue is full.
  // \error kResourceExhausted: the deadline passed before the request's turn.
  // \error as for the run.
  void Run(const RunTensors& tensors, std::vector<ramet::Tensor> feeds, const RunLimits& limits,
           RunDone done);

 private:
  std::shared_ptr<BatchQueue> QueueFor(const RunTensors& tensors);

  BatchScheduler& scheduler_;
  const BatchLimits limits_;
  const RunBatch run_;
  const BatchObserver observe_;
  ramet::SharedMutex mutex_;
  std::map<RunTensors, std::shared_ptr<BatchQueue>> queues_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace server
