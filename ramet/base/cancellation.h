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

// A CancellationToken ends the runs that use it, from any thread and permanently. Several runs may
// share one. It must outlive them.
class RAMET_EXPORT CancellationToken {
 public:
  CancellationToken() = default;
  CancellationToken(const CancellationToken&) = delete;
  CancellationToken& operator=(const CancellationToken&) = delete;

  // Cancels, and wakes all waits under this token. May be called more than once.
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

// A Cancellation holds the conditions that end one run early: its session's token, its own token
// and a deadline. Immutable. Thread-safe.
class RAMET_EXPORT Cancellation {
 public:
  using Clock = std::chrono::steady_clock;

  // Tokens may be null and must outlive this object. The time limit starts now; 0 or less means
  // none.
  Cancellation(CancellationToken* session, CancellationToken* run, int64_t timeout_in_ms);

  // Reports whether the run must end.
  bool due() const { return cancelled() || late(); }
  bool cancelled() const {
    return (session_ && session_->cancelled()) || (run_ && run_->cancelled());
  }
  bool late() const { return limited_ && Clock::now() >= deadline_; }
  // Returns OK while the run may continue. The time limit takes precedence over the tokens.
  // \error kDeadlineExceeded: the time limit has passed.
  // \error kCancelled: a token was cancelled.
  Status status() const;

 private:
  friend class CancellableWait;
  CancellationToken* session_;
  CancellationToken* run_;
  bool limited_ = false;
  Clock::time_point deadline_;
};

// A CancellableWait is a wait on a condition that ends early when the run does:
//
//   CancellableWait wait(context.cancellation(), mutex_, cond_);
//   MutexLock lock(mutex_);
//   while (elements_.empty()) {
//     if (!wait.Wait()) return Cancelled("Dequeue operation was cancelled");
//   }
//
// Create it before locking the mutex and destroy it after unlocking. With a null cancellation it
// waits without a limit.
class RAMET_EXPORT CancellableWait {
 public:
  CancellableWait(const Cancellation* cancellation, Mutex& mutex, CondVar& condition)
      RAMET_EXCLUDES(mutex);
  ~CancellableWait();
  CancellableWait(const CancellableWait&) = delete;
  CancellableWait& operator=(const CancellableWait&) = delete;

  // Waits for a notification; spurious wakeups are possible. The mutex must be held. Returns false
  // if the run must end; Cancellation::status tells why.
  bool Wait() RAMET_NO_THREAD_SAFETY_ANALYSIS;

 private:
  friend class CancellationToken;

  const Cancellation* cancellation_;
  Mutex& mutex_;
  CondVar& condition_;
};

}  // namespace ramet
