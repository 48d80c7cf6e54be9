#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "ramet/base/mutex.h"
#include "ramet/variable/followed_values.h"

namespace ramet {

// A FollowedSource holds the version of the followed variables that a session's next runs see.
// Thread-safe.
class FollowedSource {
 public:
  // Claims the session for a follower. Returns false if it has one already.
  bool Claim() { return !is_claimed_.exchange(true); }
  void Unclaim() { is_claimed_ = false; }

  // Sets the values that runs see from now on; null for none.
  void Set(std::shared_ptr<const FollowedValues> values) RAMET_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    has_values_ = values != nullptr;
    values_.swap(values);
  }
  // Returns the values for a run that begins now, or null.
  std::shared_ptr<const FollowedValues> Get() const RAMET_EXCLUDES(mutex_) {
    if (!has_values_.load(std::memory_order_acquire)) return nullptr;
    MutexLock lock(mutex_);
    return values_;
  }

 private:
  std::atomic<bool> is_claimed_ = false;
  std::atomic<bool> has_values_ = false;
  mutable Mutex mutex_;
  std::shared_ptr<const FollowedValues> values_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet
