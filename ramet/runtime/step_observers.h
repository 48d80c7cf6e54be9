#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>

#include "ramet/base/mutex.h"
#include "ramet/base/status.h"

namespace ramet {

// The StepObservers of a session are called after each successful run that may have written
// variables, on the thread that ran, outside of the session's StepGate. Thread-safe.
class StepObservers {
 public:
  // The status becomes that of the run.
  using Observer = std::function<Status()>;

  // Returns the id for Remove.
  int Add(Observer observer) RAMET_EXCLUDES(mutex_);
  // Waits until the observer is not being called; it is not called afterwards. Must not be called
  // by the observer itself.
  void Remove(int id) RAMET_EXCLUDES(mutex_);
  bool empty() const { return count_ == 0; }
  // Calls the observers until one fails.
  // \error the error of that observer.
  Status Notify() RAMET_EXCLUDES(mutex_);

 private:
  struct Entry {
    explicit Entry(Observer called) : observer(std::move(called)) {}
    SharedMutex calls;                          // shared by the threads that call
    Observer observer RAMET_GUARDED_BY(calls);  // null after Remove
  };

  std::atomic<int> count_ = 0;
  Mutex mutex_;
  int next_id_ RAMET_GUARDED_BY(mutex_) = 1;
  std::map<int, std::shared_ptr<Entry>> entries_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet
