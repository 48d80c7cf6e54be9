#pragma once

#include <atomic>

#include "ramet/runtime/first_error.h"
#include "ramet/runtime/step_invoker.h"

namespace ramet {

// A GroupRun executes a plan with groups of steps (StepGrouping): the steps of a group run at the
// same time, on the calling thread and threads of the process's pool.
class GroupRun {
 public:
  GroupRun(ActiveRun& run, StepInvoker& invoker) : run_(run), invoker_(invoker) {}
  // \error the first error of a step.
  Status Run();

 private:
  Status RunGroup(std::span<const Step> group);
  // Runs steps of the group until there are none left.
  void RunLane(std::span<const Step> group, std::atomic<size_t>& next, int lane);

  ActiveRun& run_;
  StepInvoker& invoker_;
  FirstError error_;
};

}  // namespace ramet
