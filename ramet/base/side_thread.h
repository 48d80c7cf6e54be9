#pragma once

#include <functional>
#include <thread>

#include "ramet/base/mutex.h"

namespace ramet {

// A SideThread works beside its owner, on one piece of work at a time. The thread is started with
// the first piece and ends with this object. Where the system gives no thread, or it does not get
// to run in time, nothing is done: the work has to be such that the owner can do all of it.
// One owner's thread at a time.
class SideThread {
 public:
  SideThread() = default;
  SideThread(const SideThread&) = delete;
  SideThread& operator=(const SideThread&) = delete;
  ~SideThread();

  // Calls work() once, soon. The piece before must be over (Finish). What `work`
  // throws is logged.
  void Start(std::function<void()> work);
  // Takes the work back if it has not begun, else waits until it is done.
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
