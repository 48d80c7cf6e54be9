#include "batching/batch_scheduler.h"

#include <algorithm>
#include <utility>

#include "threads/processors.h"

namespace server {

namespace rm = ramet;

// A pause between two runs that is shorter than this part of a run means load.
constexpr int kLoadShare = 4;

BatchScheduler::BatchScheduler(int threads) : limit_(threads > 0 ? threads : Processors()) {}

BatchScheduler::~BatchScheduler() {
  {
    rm::MutexLock lock(mutex_);
    stop_ = true;
  }
  changed_.NotifyAll();
  std::vector<std::thread> threads;
  {
    rm::MutexLock lock(mutex_);
    threads.swap(threads_);
  }
  for (std::thread& thread : threads) thread.join();
}

void BatchScheduler::Add(const std::shared_ptr<BatchQueue>& queue) {
  rm::MutexLock lock(mutex_);
  queues_.push_back(queue);
  while (threads_.size() < static_cast<size_t>(limit_)) {
    threads_.emplace_back([this] { Work(); });
  }
}

void BatchScheduler::Remove(const std::shared_ptr<BatchQueue>& queue) {
  rm::MutexLock lock(mutex_);
  queues_.remove(queue);
}

rm::Status BatchScheduler::Submit(const std::shared_ptr<BatchQueue>& queue,
                                  std::vector<BatchTask> parts) {
  if (RunHere(queue, parts)) return rm::OkStatus();
  {
    rm::MutexLock lock(mutex_);
    if (!HasRoom(*queue, parts)) {
      return rm::Unavailable(
          "The batch scheduling queue to which this task was submitted is full; it holds ",
          queue->limits_.max_waiting, " batches (max_enqueued_batches)");
    }
    for (BatchTask& part : parts) Enqueue(*queue, std::move(part));
  }
  changed_.NotifyOne();
  return rm::OkStatus();
}

bool BatchScheduler::RunHere(const std::shared_ptr<BatchQueue>& queue,
                             std::vector<BatchTask>& parts) {
  if (parts.size() != 1 || queue->limits_.wait.count() > 0) return false;
  {
    const auto now = Clock::now();
    rm::MutexLock lock(mutex_);
    if (running_ >= limit_ || !queue->waiting_.empty()) return false;
    if (now - queue->ended_ < queue->duration_ / kLoadShare) return false;
    ++running_;
  }
  Batch batch;
  batch.rows = parts[0].rows;
  batch.tasks = std::move(parts);
  Run(*queue, std::move(batch));
  if (waiting() > 0) changed_.NotifyOne();
  return true;
}

void BatchScheduler::Run(BatchQueue& queue, Batch batch) {
  const auto start = Clock::now();
  queue.run_(std::move(batch));
  const auto end = Clock::now();
  rm::MutexLock lock(mutex_);
  queue.ended_ = end;
  queue.duration_ = end - start;
  --running_;
}

bool BatchScheduler::HasRoom(const BatchQueue& queue, const std::vector<BatchTask>& parts) const {
  int64_t left = queue.limits_.max_waiting - static_cast<int64_t>(queue.waiting_.size());
  int64_t rows = queue.waiting_.empty() ? queue.limits_.max_batch_rows : queue.waiting_.back().rows;
  for (const BatchTask& part : parts) {
    if (rows + part.rows > queue.limits_.max_batch_rows) {
      --left;
      rows = 0;
    }
    rows += part.rows;
  }
  return left >= 0;
}

void BatchScheduler::Enqueue(BatchQueue& queue, BatchTask task) {
  const bool fits = !queue.waiting_.empty() &&
                    queue.waiting_.back().rows + task.rows <= queue.limits_.max_batch_rows;
  if (!fits) {
    queue.waiting_.emplace_back();
    queue.waiting_.back().since = Clock::now();
  }
  Batch& batch = queue.waiting_.back();
  batch.rows += task.rows;
  batch.tasks.push_back(std::move(task));
  waiting_.fetch_add(1, std::memory_order_relaxed);
}

std::optional<BatchScheduler::Job> BatchScheduler::TakeNext(
    Clock::time_point now, std::optional<Clock::time_point>* next) {
  for (auto at = queues_.begin(); at != queues_.end(); ++at) {
    BatchQueue& queue = **at;
    if (queue.waiting_.empty()) continue;
    Batch& first = queue.waiting_.front();
    const auto due = *first.since + queue.limits_.wait;
    const bool is_full = queue.waiting_.size() > 1 || first.rows >= queue.limits_.max_batch_rows;
    if (!is_full && due > now) {
      *next = std::min(next->value_or(due), due);
      continue;
    }
    Job job{*at, std::move(first)};
    queue.waiting_.pop_front();
    for (const Batch& behind : queue.waiting_) {
      job.batch.waiting += static_cast<int64_t>(behind.tasks.size());
    }
    waiting_.fetch_sub(static_cast<int64_t>(job.batch.tasks.size()), std::memory_order_relaxed);
    queues_.splice(queues_.end(), queues_, at);
    return job;
  }
  return std::nullopt;
}

void BatchScheduler::Work() {
  rm::MutexLock lock(mutex_);
  while (!stop_) {
    std::optional<Clock::time_point> next;
    std::optional<Job> job;
    if (running_ < limit_) job = TakeNext(Clock::now(), &next);
    if (!job) {
      if (next) {
        (void)changed_.WaitUntil(mutex_, *next);
      } else {
        changed_.Wait(mutex_);
      }
      continue;
    }
    ++running_;
    if (waiting() > 0) changed_.NotifyOne();
    mutex_.Unlock();
    Run(*job->queue, std::move(job->batch));
    job.reset();
    mutex_.Lock();
  }
}

}  // namespace server
