#pragma once

#include <ramet/ramet.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "batching/batch.h"

namespace server {

// A BatchQueue holds the requests that wait to run together. Use it through its scheduler only.
class BatchQueue {
 public:
  // `run` is called for one batch at a time or for several, in any thread.
  BatchQueue(const BatchLimits& limits, std::function<void(Batch)> run)
      : limits_(limits), run_(std::move(run)) {}
  BatchQueue(const BatchQueue&) = delete;
  BatchQueue& operator=(const BatchQueue&) = delete;

  const BatchLimits& limits() const { return limits_; }

 private:
  friend class BatchScheduler;
  const BatchLimits limits_;
  const std::function<void(Batch)> run_;
  // Guarded by the scheduler. Only the last batch takes more requests.
  std::deque<Batch> waiting_;
  std::chrono::steady_clock::time_point ended_ = {};   // when the last run did
  std::chrono::steady_clock::duration duration_ = {};  // of the last run
};

// A BatchScheduler runs the batches of all models with a fixed number of threads, the queues in
// turn. If a thread is free and a queue need not wait for more requests, the calling thread runs
// the batch itself, so that batching costs nothing without load. A request that
// comes right after the end of a run is a sign of load: its caller may have more of them.
// Thread-safe.
class BatchScheduler {
 public:
  using Clock = std::chrono::steady_clock;

  // 0: as many threads as there are processors.
  explicit BatchScheduler(int threads);
  // All queues must have been removed.
  ~BatchScheduler();
  BatchScheduler(const BatchScheduler&) = delete;
  BatchScheduler& operator=(const BatchScheduler&) = delete;

  void Add(const std::shared_ptr<BatchQueue>& queue);
  // The queue must be empty.
  void Remove(const std::shared_ptr<BatchQueue>& queue);
  // Adds the parts of a request to a queue: all of them or, on an error, none.
  // \error kUnavailable: the queue is full.
  ramet::Status Submit(const std::shared_ptr<BatchQueue>& queue, std::vector<BatchTask> parts);
  // Returns the number of requests that wait in all queues.
  int64_t waiting() const { return waiting_.load(std::memory_order_relaxed); }

 private:
  // A batch to run, and its queue, which may be removed while the batch runs.
  struct Job {
    std::shared_ptr<BatchQueue> queue;
    Batch batch;
  };

  void Work();
  bool HasRoom(const BatchQueue& queue, const std::vector<BatchTask>& parts) const
      RAMET_REQUIRES(mutex_);
  void Enqueue(BatchQueue& queue, BatchTask task) RAMET_REQUIRES(mutex_);
  // Takes the next batch that may run at `now`. Otherwise sets `next` to when to ask again.
  std::optional<Job> TakeNext(Clock::time_point now, std::optional<Clock::time_point>* next)
      RAMET_REQUIRES(mutex_);
  // Runs a batch and measures it.
  void Run(BatchQueue& queue, Batch batch) RAMET_EXCLUDES(mutex_);
  // Runs the only part of a request at once if a thread is free and the queue is not under load.
  // Returns false otherwise.
  bool RunHere(const std::shared_ptr<BatchQueue>& queue, std::vector<BatchTask>& parts);

  const int limit_;  // of batches that run at the same time
  mutable ramet::Mutex mutex_;
  ramet::CondVar changed_;
  std::list<std::shared_ptr<BatchQueue>> queues_ RAMET_GUARDED_BY(mutex_);  // the next one first
  int running_ RAMET_GUARDED_BY(mutex_) = 0;
  bool stop_ RAMET_GUARDED_BY(mutex_) = false;
  std::atomic<int64_t> waiting_ = 0;
  std::vector<std::thread> threads_ RAMET_GUARDED_BY(mutex_);  // started by the first Add
};

}  // namespace server
