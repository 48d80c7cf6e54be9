#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

// Thread-safety annotations that clang checks (-Wthread-safety); nothing under other compilers.
#if defined(__clang__)
#define RAMET_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define RAMET_THREAD_ANNOTATION(x)
#endif
// On a member: it is only touched while `mutex` is held.
#define RAMET_GUARDED_BY(mutex) RAMET_THREAD_ANNOTATION(guarded_by(mutex))
// On a pointer member: what it points to is only touched while `mutex` is held.
#define RAMET_PT_GUARDED_BY(mutex) RAMET_THREAD_ANNOTATION(pt_guarded_by(mutex))
// On a function: the caller holds the mutexes; or must not hold them.
#define RAMET_REQUIRES(...) RAMET_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define RAMET_EXCLUDES(...) RAMET_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
#define RAMET_NO_THREAD_SAFETY_ANALYSIS RAMET_THREAD_ANNOTATION(no_thread_safety_analysis)

namespace ramet {

// std::mutex with annotations.
class RAMET_THREAD_ANNOTATION(capability("mutex")) Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;
  void Lock() RAMET_THREAD_ANNOTATION(acquire_capability()) { mutex_.lock(); }
  void Unlock() RAMET_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }
  bool TryLock() RAMET_THREAD_ANNOTATION(try_acquire_capability(true)) { return mutex_.try_lock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

// Holds a Mutex from its construction to the end of its block.
class RAMET_THREAD_ANNOTATION(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) RAMET_THREAD_ANNOTATION(acquire_capability(mutex))
      : mutex_(mutex) {
    mutex_.Lock();
  }
  ~MutexLock() RAMET_THREAD_ANNOTATION(release_capability()) { mutex_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// A condition variable over a Mutex. Wakes without a notification may happen: wait in a loop over
// the condition, as `while (!ready) cond.Wait(mutex);`.
class CondVar {
 public:
  void Wait(Mutex& mutex) RAMET_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    cond_.wait(lock);
    lock.release();
  }
  // False when `deadline` passed.
  template <class Clock, class Duration>
  bool WaitUntil(Mutex& mutex, std::chrono::time_point<Clock, Duration> deadline)
      RAMET_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    bool in_time = cond_.wait_until(lock, deadline) == std::cv_status::no_timeout;
    lock.release();
    return in_time;
  }
  void NotifyOne() { cond_.notify_one(); }
  void NotifyAll() { cond_.notify_all(); }

 private:
  std::condition_variable cond_;
};

}  // namespace ramet
