#pragma once

#include <utility>

#include "ramet/base/mutex.h"
#include "ramet/base/status.h"

namespace ramet {

// A DeferredStatus keeps the error of background work until a call reports it. Thread-safe.
class DeferredStatus {
 public:
  // Keeps an error, unless an earlier one has not been taken yet.
  void Note(Status status) {
    MutexLock lock(mutex_);
    if (status_.ok()) status_ = std::move(status);
  }
  // Returns the error, which is forgotten, or ok.
  Status Take() {
    MutexLock lock(mutex_);
    return std::exchange(status_, OkStatus());
  }

 private:
  Mutex mutex_;
  Status status_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet
