#pragma once

#include <list>
#include <set>
#include <thread>
#include <vector>

#include "ramet/base/mutex.h"
#include "ramet/runtime/first_error.h"
#include "ramet/runtime/step_invoker.h"

namespace ramet {

// A WaitingRun executes a plan in which several steps may wait (StepPrecedence). The calling thread
// runs the steps in order. When a step waits, another thread goes on with the steps that do not
// depend on it. So a step never waits for one that could run.
class WaitingRun {
 public:
  WaitingRun(ActiveRun& run, StepInvoker& invoker);
  // \error the first error of a step. It ends the waits of the other steps.
  Status Run();

 private:
  class Hook;
  class Stop;

  // Runs steps until all are done or one has failed; a helper also ends when none is ready.
  void Work(bool is_helper);
  // Takes the next step. Returns -1 if the thread should end.
  int32_t Next(bool is_helper);
  void Finish(int32_t step, const Status& status);
  void BeforeWait();
  // Frees the slots that no other step reads.
  void Release(const Step& step) RAMET_REQUIRES(mutex_);
  bool ended() const RAMET_REQUIRES(mutex_) { return num_unfinished_ == 0 || error_.is_set(); }

  ActiveRun& run_;
  StepInvoker& invoker_;
  FirstError error_;
  Mutex mutex_;
  CondVar changed_;
  std::vector<int32_t> num_before_ RAMET_GUARDED_BY(mutex_);   // unfinished, by step
  std::vector<int32_t> num_readers_ RAMET_GUARDED_BY(mutex_);  // unfinished, by slot
  std::set<int32_t> ready_ RAMET_GUARDED_BY(mutex_);
  size_t num_unfinished_ RAMET_GUARDED_BY(mutex_) = 0;
  std::list<std::thread> helpers_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet
