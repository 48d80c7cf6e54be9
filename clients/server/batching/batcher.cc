#include "batching/batcher.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace server {
namespace {

namespace rm = ramet;
using Clock = std::chrono::steady_clock;
using RunBatch = Batcher::RunBatch;

// Clients choose the outputs, so there may be many queues. Further ones are not made.
constexpr size_t kMaxQueues = 256;

rm::StatusOr<RunResult> PartOf(const RunResult& all, int64_t begin, int64_t rows) {
  RunResult part{.answered_by = all.answered_by};
  RAMET_ASSIGN_OR_RETURN(part.outputs, SliceRows(all.outputs, begin, rows));
  return part;
}

// Runs the batches of one queue.
class BatchRunner {
 public:
  BatchRunner(RunTensors tensors, const BatchLimits& limits, RunBatch run, BatchObserver observe)
      : tensors_(std::move(tensors)),
        limits_(limits),
        run_(std::move(run)),
        observe_(std::move(observe)) {}

  // Answers all requests. The last answer may free the version, so nothing is used after it.
  void Run(Batch batch) const {
    Observe(batch);
    std::vector<BatchTask> tasks = TakeLive(std::move(batch.tasks));
    while (!tasks.empty()) {
      auto others = std::stable_partition(tasks.begin(), tasks.end(), [&](const BatchTask& task) {
        return FitTogether(tasks.front().feeds, task.feeds, limits_.pads);
      });
      std::vector<BatchTask> later;
      std::move(others, tasks.end(), std::back_inserter(later));
      tasks.erase(others, tasks.end());
      RunTogether(std::move(tasks));
      tasks = std::move(later);
    }
  }

 private:
  void Observe(const Batch& batch) const {
    if (!observe_) return;
    BatchEvent event{.requests = static_cast<int64_t>(batch.tasks.size()),
                     .rows = batch.rows,
                     .padded_rows = limits_.AllowedRows(batch.rows),
                     .waiting = batch.waiting};
    if (batch.since) {
      event.waited =
          std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - *batch.since);
    }
    observe_(event);
  }

  // Answers requests that have expired or were cancelled, and returns the others.
  static std::vector<BatchTask> TakeLive(std::vector<BatchTask> tasks) {
    const auto now = Clock::now();
    std::vector<BatchTask> live;
    live.reserve(tasks.size());
    for (BatchTask& task : tasks) {
      if (task.limits.cancellation && task.limits.cancellation->cancelled()) {
        task.done(rm::Cancelled("the request was cancelled while it waited in the batching queue"));
      } else if (task.limits.deadline <= now) {
        task.done(rm::ResourceExhausted("Run() timeout exceeded while waiting in batching queue"));
      } else {
        live.push_back(std::move(task));
      }
    }
    return live;
  }

  void RunTogether(std::vector<BatchTask> tasks) const {
    if (tasks.size() == 1) return RunAlone(std::move(tasks[0]));
    const auto result = RunJoined(tasks);
    if (!result.ok() && !rm::IsDeadlineExceeded(result.status())) {
      // One of them may be the only one at fault.
      for (BatchTask& task : tasks) RunAlone(std::move(task));
      return;
    }
    int64_t at = 0;
    for (BatchTask& task : tasks) {
      const int64_t begin = std::exchange(at, at + task.rows);
      task.done(result.ok() ? PartOf(*result, begin, task.rows)
                            : rm::StatusOr<RunResult>(result.status()));
    }
  }

  void RunAlone(BatchTask task) const {
    auto result = RunPadded({&task.feeds}, task.rows, task.limits);
    if (result.ok() && limits_.AllowedRows(task.rows) != task.rows) {
      result = PartOf(*result, 0, task.rows);
    }
    const RunDone done = std::move(task.done);
    done(std::move(result));
  }

  rm::StatusOr<RunResult> RunJoined(const std::vector<BatchTask>& tasks) const {
    std::vector<const Rows*> requests;
    int64_t rows = 0;
    RunLimits limits{.deadline = Clock::time_point::min()};
    for (const BatchTask& task : tasks) {
      requests.push_back(&task.feeds);
      rows += task.rows;
      limits.deadline = std::max(limits.deadline, task.limits.deadline);
    }
    return RunPadded(requests, rows, limits);
  }

  rm::StatusOr<RunResult> RunPadded(const std::vector<const Rows*>& requests, int64_t rows,
                                    const RunLimits& limits) const {
    const int64_t allowed = limits_.AllowedRows(rows);
    rm::StatusOr<RunResult> result = rm::Internal("not run");
    if (requests.size() == 1 && allowed == rows) {
      result = run_(tensors_, *requests[0], limits);
    } else {
      RAMET_ASSIGN_OR_RETURN(const Rows joined, JoinRows(requests, allowed));
      result = run_(tensors_, joined, limits);
    }
    if (result.ok()) RAMET_RETURN_IF_ERROR(CheckResults(result->outputs, allowed));
    return result;
  }

  const RunTensors tensors_;
  const BatchLimits limits_;
  const RunBatch run_;
  const BatchObserver observe_;
};

// The parts of a request that was split. The last one that ends answers the request.
class SplitRequest {
 public:
  SplitRequest(size_t parts, RunDone done)
      : left_(parts), results_(parts, rm::Internal("not run")), done_(std::move(done)) {}

  void Finish(size_t part, rm::StatusOr<RunResult> result) {
    {
      rm::MutexLock lock(mutex_);
      results_[part] = std::move(result);
      if (--left_ > 0) return;
    }
    done_(Join());
  }

 private:
  rm::StatusOr<RunResult> Join() {
    rm::MutexLock lock(mutex_);
    std::vector<const Rows*> parts;
    int64_t rows = 0;
    for (const auto& result : results_) {
      if (!result.ok()) return result.status();
      RAMET_ASSIGN_OR_RETURN(const int64_t count, CountRows(result->outputs));
      rows += count;
      parts.push_back(&result->outputs);
    }
    RunResult joined{.answered_by = results_[0]->answered_by};
    RAMET_ASSIGN_OR_RETURN(joined.outputs, JoinRows(parts, rows));
    return joined;
  }

  rm::Mutex mutex_;
  size_t left_ RAMET_GUARDED_BY(mutex_);
  std::vector<rm::StatusOr<RunResult>> results_ RAMET_GUARDED_BY(mutex_);
  const RunDone done_;
};

// Splits a request into parts of at most `max_rows` rows.
rm::StatusOr<std::vector<BatchTask>> Split(BatchTask task, int64_t max_rows) {
  const size_t count = static_cast<size_t>((task.rows + max_rows - 1) / max_rows);
  std::vector<BatchTask> parts;
  const auto request = std::make_shared<SplitRequest>(count, task.done);
  for (size_t i = 0; i < count; ++i) {
    const int64_t begin = static_cast<int64_t>(i) * max_rows;
    BatchTask part{.rows = std::min(max_rows, task.rows - begin), .limits = task.limits};
    RAMET_ASSIGN_OR_RETURN(part.feeds, SliceRows(task.feeds, begin, part.rows));
    part.done = [request, i](rm::StatusOr<RunResult> result) {
      request->Finish(i, std::move(result));
    };
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace

Batcher::Batcher(BatchScheduler& scheduler, const BatchingParameters& parameters, RunBatch run,
                 BatchObserver observe)
    : scheduler_(scheduler),
      limits_(parameters),
      run_(std::move(run)),
      observe_(std::move(observe)) {}

Batcher::~Batcher() {
  rm::WriterLock lock(mutex_);
  for (const auto& [tensors, queue] : queues_) scheduler_.Remove(queue);
}

std::shared_ptr<BatchQueue> Batcher::QueueFor(const RunTensors& tensors) {
  {
    rm::ReaderLock lock(mutex_);
    if (const auto found = queues_.find(tensors); found != queues_.end()) return found->second;
  }
  rm::WriterLock lock(mutex_);
  if (const auto found = queues_.find(tensors); found != queues_.end()) return found->second;
  if (queues_.size() >= kMaxQueues) return nullptr;
  auto runner = std::make_shared<const BatchRunner>(tensors, limits_, run_, observe_);
  auto queue = std::make_shared<BatchQueue>(
      limits_, [runner = std::move(runner)](Batch batch) { runner->Run(std::move(batch)); });
  scheduler_.Add(queue);
  return queues_.emplace(tensors, std::move(queue)).first->second;
}

void Batcher::Run(const RunTensors& tensors, std::vector<rm::Tensor> feeds, const RunLimits& limits,
                  RunDone done) {
  const auto rows = CountRows(feeds);
  if (!rows.ok()) return done(rows.status());
  if (*rows > limits_.max_request_rows) {
    return done(rm::InvalidArgument("Task size ", *rows,
                                    " is larger than maximum input batch size ",
                                    limits_.max_request_rows));
  }
  const auto queue = *rows == 0 ? nullptr : QueueFor(tensors);
  if (queue == nullptr) return done(run_(tensors, feeds, limits));
  std::vector<BatchTask> parts(1);
  parts[0] = {.feeds = std::move(feeds), .rows = *rows, .limits = limits, .done = done};
  if (*rows > limits_.max_batch_rows) {
    auto split = Split(std::move(parts[0]), limits_.max_batch_rows);
    if (!split.ok()) return done(split.status());
    parts = *std::move(split);
  }
  const rm::Status submitted = scheduler_.Submit(queue, std::move(parts));
  if (!submitted.ok()) done(submitted);
}

}  // namespace server
