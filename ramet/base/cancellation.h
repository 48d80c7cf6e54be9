#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/base/mutex.h"
#include "ramet/base/status.h"

namespace ramet {

class CancellableWait;

// Ends what was started with it, from any thread and for good. Several runs may share one; it must
// outlive them.
class RAMET_EXPORT CancellationToken {
 public:
  CancellationToken() = default;
  CancellationToken(const CancellationToken&) = delete;
  CancellationToken& operator=(const CancellationToken&) = delete;

  // Wakes everybody who waits under this token. May be called more than once.
  void Cancel();
  bool cancelled() const { return cancelled_.load(std::memory_order_acquire); }

 private:
  friend class CancellableWait;
  void Add(CancellableWait* wait);
  void Remove(CancellableWait* wait);

  std::atomic<bool> cancelled_ = false;
  Mutex mutex_;
  std::vector<CancellableWait*> waits_ RAMET_GUARDED_BY(mutex_);
};

// What can end one run before its time: its session's token, a token of its own and a deadline.
// Immutable; any thread may ask.
class RAMET_EXPORT Cancellation {
 public:
  using Clock = std::chrono::steady_clock;

  // Tokens may be null; they outlive this object. The time counts from now; 0 or less: no limit.
  Cancellation(CancellationToken* session, CancellationToken* run, int64_t timeout_in_ms);

  // Whether the run is to end now.
  bool due() const { return cancelled() || late(); }
  bool cancelled() const {
    return (session_ && session_->cancelled()) || (run_ && run_->cancelled());
  }
  bool late() const { return limited_ && Clock::now() >= deadline_; }
  // OK while the run may go on. \error kDeadlineExceeded once the time is over, kCancelled once a
  // token was cancelled; the time comes first.
  Status status() const;

 private:
  friend class CancellableWait;
  CancellationToken* session_;
  CancellationToken* run_;
  bool limited_ = false;
  Clock::time_point deadline_;
};

// One wait on a condition that ends early when the run does:
//
//   CancellableWait wait(context.cancellation(), mutex_, cond_);
//   MutexLock lock(mutex_);
//   while (elements_.empty()) {
//     if (!wait.Wait()) return Cancelled("Dequeue operation was cancelled");
//   }
//
// It is made before the mutex is locked and goes after it is unlocked. A null cancellation: waits
// as long as it takes.
class RAMET_EXPORT CancellableWait {
 public:
  CancellableWait(const Cancellation* cancellation, Mutex& mutex, CondVar& condition)
      RAMET_EXCLUDES(mutex);
  ~CancellableWait();
  CancellableWait(const CancellableWait&) = delete;
  CancellableWait& operator=(const CancellableWait&) = delete;

  // Waits for a notification, or any wake without one; the mutex is held. False when the run is to
  // end: Cancellation::status says why.
  bool Wait() RAMET_NO_THREAD_SAFETY_ANALYSIS;

 private:
  friend class CancellationToken;

  const Cancellation* cancellation_;
  Mutex& mutex_;
  CondVar& condition_;
};

}  // namespace ramet
