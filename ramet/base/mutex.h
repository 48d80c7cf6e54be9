#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>

// Thread-safety annotations, checked by clang (-Wthread-safety) and ignored by other compilers.
#if defined(__clang__)
#define RAMET_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define RAMET_THREAD_ANNOTATION(x)
#endif
// For a member that may be accessed only while `mutex` is held.
#define RAMET_GUARDED_BY(mutex) RAMET_THREAD_ANNOTATION(guarded_by(mutex))
// For a pointer member whose target may be accessed only while `mutex` is held.
#define RAMET_PT_GUARDED_BY(mutex) RAMET_THREAD_ANNOTATION(pt_guarded_by(mutex))
// For a function whose caller must hold, must hold at least for reading, or must not hold the
// mutexes.
#define RAMET_REQUIRES(...) RAMET_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define RAMET_REQUIRES_SHARED(...) RAMET_THREAD_ANNOTATION(requires_shared_capability(__VA_ARGS__))
#define RAMET_EXCLUDES(...) RAMET_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
// For a function that locks, or unlocks, the mutexes, for reading if SHARED.
#define RAMET_ACQUIRE(...) RAMET_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define RAMET_ACQUIRE_SHARED(...) RAMET_THREAD_ANNOTATION(acquire_shared_capability(__VA_ARGS__))
#define RAMET_RELEASE(...) RAMET_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define RAMET_RELEASE_SHARED(...) RAMET_THREAD_ANNOTATION(release_shared_capability(__VA_ARGS__))
// For the destructor of a scoped lock that may hold a mutex either way.
#define RAMET_RELEASE_GENERIC(...) RAMET_THREAD_ANNOTATION(release_generic_capability(__VA_ARGS__))
// For a class that locks a mutex for the lifetime of its objects.
#define RAMET_SCOPED_LOCKABLE RAMET_THREAD_ANNOTATION(scoped_lockable)
#define RAMET_NO_THREAD_SAFETY_ANALYSIS RAMET_THREAD_ANNOTATION(no_thread_safety_analysis)

namespace ramet {

// A std::mutex with annotations.
class RAMET_THREAD_ANNOTATION(capability("mutex")) Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;
  void Lock() RAMET_ACQUIRE() { mutex_.lock(); }
  void Unlock() RAMET_RELEASE() { mutex_.unlock(); }
  bool TryLock() RAMET_THREAD_ANNOTATION(try_acquire_capability(true)) { return mutex_.try_lock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

// Locks a Mutex for the lifetime of this object.
class RAMET_SCOPED_LOCKABLE MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) RAMET_ACQUIRE(mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~MutexLock() RAMET_RELEASE() { mutex_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// A std::shared_mutex with annotations: one writer, or any number of readers.
class RAMET_THREAD_ANNOTATION(capability("mutex")) SharedMutex {
 public:
  SharedMutex() = default;
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;
  void Lock() RAMET_ACQUIRE() { mutex_.lock(); }
  void Unlock() RAMET_RELEASE() { mutex_.unlock(); }
  void LockShared() RAMET_ACQUIRE_SHARED() { mutex_.lock_shared(); }
  void UnlockShared() RAMET_RELEASE_SHARED() { mutex_.unlock_shared(); }
  bool TryLock() RAMET_THREAD_ANNOTATION(try_acquire_capability(true)) { return mutex_.try_lock(); }
  bool TryLockShared() RAMET_THREAD_ANNOTATION(try_acquire_shared_capability(true)) {
    return mutex_.try_lock_shared();
  }
  // Tells the analysis that this thread holds the mutex at least for reading: in a lambda whose
  // caller does.
  void AssertReaderHeld() const RAMET_THREAD_ANNOTATION(assert_shared_capability(this)) {}

 private:
  std::shared_mutex mutex_;
};

// Locks a SharedMutex for writing for the lifetime of this object.
class RAMET_SCOPED_LOCKABLE WriterLock {
 public:
  explicit WriterLock(SharedMutex& mutex) RAMET_ACQUIRE(mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~WriterLock() RAMET_RELEASE() { mutex_.Unlock(); }
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  SharedMutex& mutex_;
};

// Locks a SharedMutex for reading for the lifetime of this object.
class RAMET_SCOPED_LOCKABLE ReaderLock {
 public:
  explicit ReaderLock(SharedMutex& mutex) RAMET_ACQUIRE_SHARED(mutex) : mutex_(mutex) {
    mutex_.LockShared();
  }
  ~ReaderLock() RAMET_RELEASE_GENERIC() { mutex_.UnlockShared(); }
  ReaderLock(const ReaderLock&) = delete;
  ReaderLock& operator=(const ReaderLock&) = delete;

 private:
  SharedMutex& mutex_;
};

// A condition variable for a Mutex. Spurious wakeups are possible, so wait in a loop: `while
// (!ready) cond.Wait(mutex);`.
class CondVar {
 public:
  void Wait(Mutex& mutex) RAMET_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    cond_.wait(lock);
    lock.release();
  }
  // Returns false if `deadline` has passed.
  template <class Clock, class Duration>
  bool WaitUntil(Mutex& mutex, std::chrono::time_point<Clock, Duration> deadline)
      RAMET_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    bool in_time = cond_.wait_until(lock, deadline) == std::cv_status::no_timeout;
    lock.release();
    return in_time;
  }
  // Returns false if the time has passed.
  template <class Rep, class Period>
  bool WaitFor(Mutex& mutex, std::chrono::duration<Rep, Period> time) RAMET_REQUIRES(mutex) {
    return WaitUntil(mutex, std::chrono::steady_clock::now() + time);
  }
  void NotifyOne() { cond_.notify_one(); }
  void NotifyAll() { cond_.notify_all(); }

 private:
  std::condition_variable cond_;
};

}  // namespace ramet
