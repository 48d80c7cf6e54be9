#include "ramet/replica/background_job.h"

#include <utility>

#include "ramet/base/exception.h"

namespace ramet {

BackgroundJob::BackgroundJob(RetentionOptions::AtLimit at_limit)
    : at_limit_(at_limit), thread_([this] { Work(); }) {}

BackgroundJob::~BackgroundJob() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

Status BackgroundJob::WaitForRoom() {
  std::unique_lock lock(mutex_);
  if (busy_ && at_limit_ == RetentionOptions::AtLimit::kSkip) {
    return ResourceExhausted(
        "the version before is still being copied from its device; publish "
        "less often, or wait (RetentionOptions::at_limit)");
  }
  changed_.wait(lock, [this] { return !busy_; });
  return OkStatus();
}

void BackgroundJob::Post(std::function<void()> job) {
  std::lock_guard lock(mutex_);
  job_ = std::move(job);
  busy_ = true;
  changed_.notify_all();
}

void BackgroundJob::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return job_ || stopping_; });
    if (!job_) return;
    const std::function<void()> job = std::exchange(job_, nullptr);
    lock.unlock();
    LogIfThrown("a job of a publisher", job);
    lock.lock();
    busy_ = job_ != nullptr;
    changed_.notify_all();
  }
}

}  // namespace ramet
