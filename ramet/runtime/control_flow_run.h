#pragma once

#include "ramet/runtime/step_invoker.h"

namespace ramet {

// A ControlFlowRun executes a plan with TensorFlow 1's control flow, step after step on the calling
// thread. A dead step is skipped. A step is dead if one of its inputs or control inputs is dead; a
// Merge if all of its inputs are. Source: ramet/op/control_flow.h.
class ControlFlowRun {
 public:
  ControlFlowRun(ActiveRun& run, StepInvoker& invoker)
      : run_(run), invoker_(invoker), dead_(run.buffers().dead) {}
  // \error what the first step that fails returns, with its node.
  Status Run() { return RunRange({0, static_cast<int32_t>(run_.plan().steps.size())}); }

 private:
  Status RunRange(IndexRange range);
  // Runs a step that is not dead.
  Status RunAlive(const Step& step);
  Status RunSwitch(const Step& step);
  void RunMerge(const Step& step, const MergeStep& merge);
  bool IsDead(const Step& step) const;
  bool IsAlive(int32_t slot) const { return dead_[slot] == 0; }
  bool IsInputDead(const Step& step, int i) const {
    return !IsAlive(run_.plan().inputs_of(step)[i].slot);
  }
  void SetDead(const Step& step, bool dead);

  Status RunLoop(const PlanLoop& loop);
  void BeginLoop(const PlanLoop& loop);
  // Keeps the values that leave the loop. Returns whether there is another iteration.
  bool EndIteration(const PlanLoop& loop);
  void EndLoop(const PlanLoop& loop);

  ActiveRun& run_;
  StepInvoker& invoker_;
  std::vector<uint8_t>& dead_;  // by slot
};

}  // namespace ramet
