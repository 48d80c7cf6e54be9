#include "ramet/base/cancellation.h"

#include <algorithm>

#include "ramet/base/run_interrupt.h"

namespace ramet {
namespace {

// The interval at which a waiting thread polls its interrupt.
constexpr std::chrono::milliseconds kCancellationPollInterval{50};

}  // namespace

void CancellationToken::Cancel() {
  cancelled_.store(true, std::memory_order_release);
  MutexLock lock(mutex_);
  for (CancellableWait* wait : waits_) {
    MutexLock waiting(wait->mutex_);
    wait->condition_.NotifyAll();
  }
}

void CancellationToken::Add(CancellableWait* wait) {
  MutexLock lock(mutex_);
  waits_.push_back(wait);
}

void CancellationToken::Remove(CancellableWait* wait) {
  MutexLock lock(mutex_);
  waits_.erase(std::ranges::find(waits_, wait));
}

Cancellation::Cancellation(CancellationToken* session, CancellationToken* run,
                           int64_t timeout_in_ms)
    : session_(session), run_(run) {
  if (timeout_in_ms <= 0) return;
  const Clock::time_point now = Clock::now();
  const auto most =
      std::chrono::duration_cast<std::chrono::milliseconds>(Clock::time_point::max() - now);
  limited_ = timeout_in_ms < most.count();
  if (limited_) deadline_ = now + std::chrono::milliseconds(timeout_in_ms);
}

Status Cancellation::status() const {
  if (late()) return DeadlineExceeded("Timed out waiting for notification");
  return cancelled() ? Cancelled("Run call was cancelled") : OkStatus();
}

CancellableWait::CancellableWait(const Cancellation* cancellation, Mutex& mutex, CondVar& condition)
    : cancellation_(cancellation), mutex_(mutex), condition_(condition) {
  if (cancellation_ == nullptr) return;
  if (cancellation_->session_) cancellation_->session_->Add(this);
  if (cancellation_->run_) cancellation_->run_->Add(this);
}

CancellableWait::~CancellableWait() {
  if (cancellation_ == nullptr) return;
  if (cancellation_->session_) cancellation_->session_->Remove(this);
  if (cancellation_->run_) cancellation_->run_->Remove(this);
}

bool CancellableWait::Wait() {
  RunInterrupt* const interrupt = RunInterrupt::Current();
  if (interrupt != nullptr && interrupt->waits()) {
    const auto due = [&] {
      return (cancellation_ && cancellation_->due()) || interrupt->token().cancelled();
    };
    if (due()) return false;
    auto until = Cancellation::Clock::now() + kCancellationPollInterval;
    if (cancellation_ && cancellation_->limited_) until = std::min(until, cancellation_->deadline_);
    condition_.WaitUntil(mutex_, until);
    mutex_.Unlock();
    interrupt->Poll();
    mutex_.Lock();
    return !due();
  }
  if (cancellation_ == nullptr) {
    condition_.Wait(mutex_);
    return true;
  }
  if (cancellation_->due()) return false;
  if (cancellation_->limited_) {
    condition_.WaitUntil(mutex_, cancellation_->deadline_);
  } else {
    condition_.Wait(mutex_);
  }
  return !cancellation_->due();
}

}  // namespace ramet
