#pragma once

#include <atomic>

#include "ramet/base/mutex.h"
#include "ramet/base/status.h"

namespace ramet {

// A FirstError keeps the first error of the threads that work on one run. Thread-safe.
class FirstError {
 public:
  // Keeps `status`, an error, unless there has been one already.
  void Set(const Status& status) {
    MutexLock lock(mutex_);
    status_.Update(status);
    is_set_ = true;
  }
  bool is_set() const { return is_set_; }
  // Returns the first error, or OK.
  Status status() const {
    MutexLock lock(mutex_);
    return status_;
  }

 private:
  std::atomic<bool> is_set_ = false;
  mutable Mutex mutex_;
  Status status_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet
