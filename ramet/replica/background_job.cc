#include "ramet/replica/background_job.h"

#include <utility>

#include "ramet/base/exception.h"
#include "ramet/base/run_interrupt.h"
#include "ramet/replica/interruptible_wait.h"

namespace ramet {

BackgroundJob::BackgroundJob(RetentionOptions::AtLimit at_limit)
    : at_limit_(at_limit), thread_([this] { Work(); }) {}

BackgroundJob::~BackgroundJob() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  thread_.join();
}

Status BackgroundJob::WaitForRoom() {
  MutexLock lock(mutex_);
  if (busy_ && at_limit_ == RetentionOptions::AtLimit::kSkip) {
    return ResourceExhausted(
        "the previous version is still being copied from its device; publish less often, or set "
        "RetentionOptions::at_limit to kWait");
  }
  while (busy_) {
    if (WaitUnlessStopped(changed_, mutex_) == WaitEnd::kStopped) return InterruptedStatus();
  }
  return OkStatus();
}

void BackgroundJob::WaitUntilDone() {
  MutexLock lock(mutex_);
  while (busy_) changed_.Wait(mutex_);
}

void BackgroundJob::Post(std::function<void()> job) {
  MutexLock lock(mutex_);
  job_ = std::move(job);
  busy_ = true;
  changed_.NotifyAll();
}

std::function<void()> BackgroundJob::TakeJob() {
  MutexLock lock(mutex_);
  while (!job_ && !stopping_) changed_.Wait(mutex_);
  return std::exchange(job_, nullptr);
}

void BackgroundJob::Work() {
  while (std::function<void()> job = TakeJob()) {
    LogIfThrown("a background job of a publisher", job);
    job = nullptr;
    MutexLock lock(mutex_);
    busy_ = job_ != nullptr;
    changed_.NotifyAll();
  }
}

}  // namespace ramet
