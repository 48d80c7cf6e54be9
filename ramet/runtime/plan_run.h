#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "ramet/base/run_interrupt.h"
#include "ramet/runtime/executor.h"
#include "ramet/runtime/function_calls.h"

namespace ramet {

// One run of a plan. A plain plan's steps run one after another in the caller's thread, those that
// StepGrouping found to be worth it on the caller's team of threads. Steps of
// asynchronous devices are handed to the device's thread in order; each thread uses step scratch of
// its own. With control flow, the caller's thread walks the steps and knows what is dead.
class PlanRun {
 public:
  // All three outlive the run.
  PlanRun(Plan& plan, const ExecutorSettings& settings, const RunControl& control, RunState& state);
  ~PlanRun();
  // As RunPlan; once.
  Status Run(std::span<const Tensor> feeds, std::span<Tensor> fetched);
  // The body of a function, any number of times. The arguments are taken.
  Value& arg(size_t i) { return frame_->values[plan_.feed_slots[i]]; }
  size_t num_args() const { return plan_.feed_slots.size(); }
  Status RunBody(std::span<const DType> types, std::span<Value> results);

 private:
  // An exception, also one from outside of a kernel, ends the run like an error.
  void RunAll();
  void RunAllSteps();
  void SetThread() const;
  void RunHere();
  bool RunStep(const Step& step);  // false: status_ says why
  void Release(const Step& step);

  static Plan& Chosen(Plan& plan, const ExecutorSettings& settings, const RunControl& control);
  bool ToBeMeasured() const;
  void RunMeasured();
  bool UsesVariables(const Step& step);
  void RunGrouped();
  bool RunTogether(std::span<const Step> steps);
  Status RunKernel(const Step& step, StepScratch& scratch);
  const PlanMerge& MergeOf(const Step& step) const { return plan_.merges[step.merge]; }
  // The steps that were merged, one by one.
  Status RunParts(const Step& step, StepScratch& scratch);
  Status Fetch(std::span<Tensor> fetched);
  bool IsPreset(int32_t slot) const;
  void ClearAll();
  bool Due() const { return control_.cancellation && StopDue(); }
  Status Located(const Step& step, const Status& status) const;

  void RunOnDevices();
  void HandOutSteps();
  void RunAnywhere(const Step& step);
  // Ends the run, from any thread; the first error counts.
  void Fail(const Status& status);
  Status RunOnDevice(const Step& step);
  // Moves a variable's value into the memory of the device that its node is placed on.
  Status Settle(VariableState& variable, int device);
  StatusOr<Tensor> ToHost(const Tensor& value);
  Status Copy(const Step& step);

  Status RunSteps(int32_t begin, int32_t end);
  Status RunLoop(const PlanLoop& loop);
  bool IsDead(const Step& step) const;
  Status RunAlive(const Step& step);
  Status RunSwitch(const Step& step);
  void RunMerge(const Step& step);
  Status RunWork(const Step& step);
  void PassOn(const Step& step, int input, int output);
  void SetDead(const Step& step, uint8_t dead);
  void BeginLoop(const PlanLoop& loop);
  bool EndIteration(const PlanLoop& loop);
  void EndLoop(const PlanLoop& loop);

  Status RunCall(const Step& step);
  Status RunTarget(const Step& step, FunctionCall& call, int target);
  Status RunWhile(const Step& step, FunctionCall& call);
  StatusOr<int> ChooseTarget(const Step& step, const FunctionCall& call);
  Status TakeInput(const Step& step, int i, DType type, Value* to);
  Status TakeResults(std::span<const DType> types, std::span<Value> results);
  StatusOr<FunctionInstance*> Ready(FunctionCall& call, int target) const;
  RunControl ControlFor(const Step& step) const;
  std::span<Value> OutputsOf(const Step& step) {
    return {frame_->values.data() + step.first_output, static_cast<size_t>(step.num_outputs)};
  }
  void Record(const Step& step, int64_t start);
  Value& InputOf(const Step& step, int i) {
    return frame_->values[plan_.input_slots[step.first_input + i]];
  }
  uint8_t& DeadInput(const Step& step, int i) const {
    return frame_->dead[plan_.input_slots[step.first_input + i]];
  }

  Plan& plan_;
  const ExecutorSettings& settings_;
  const RunControl& control_;
  std::unique_ptr<Frame> frame_;
  RunState& state_;
  std::mutex mutex_;
  std::atomic<bool> failed_ = false;
  Status status_;
};

}  // namespace ramet
