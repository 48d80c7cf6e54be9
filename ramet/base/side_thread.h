#pragma once

#include <functional>
#include <thread>

#include "ramet/base/mutex.h"

namespace ramet {

// A SideThread executes one task at a time next to its owner. The thread is started with the first
// task and ends with this object. If the system cannot start a thread, or it is not scheduled in
// time, the task does not run, so the owner must be able to do all of the work itself. Used by one
// thread at a time.
class SideThread {
 public:
  SideThread() = default;
  SideThread(const SideThread&) = delete;
  SideThread& operator=(const SideThread&) = delete;
  ~SideThread();

  // Calls work() once, soon. Finish must have been called for the previous task. Exceptions of
  // `work` are logged.
  void Start(std::function<void()> work);
  // Withdraws the task if it has not started, otherwise waits until it is done.
  void Finish();

 private:
  void Loop();

  std::thread thread_;
  Mutex mutex_;
  CondVar changed_;
  std::function<void()> work_ RAMET_GUARDED_BY(mutex_);
  bool busy_ RAMET_GUARDED_BY(mutex_) = false;
  bool ending_ RAMET_GUARDED_BY(mutex_) = false;
};

}  // namespace ramet
