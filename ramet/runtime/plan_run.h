#pragma once

#include "ramet/runtime/active_run.h"
#include "ramet/runtime/executable.h"
#include "ramet/runtime/step_invoker.h"

namespace ramet {

// A PlanRun is one run of an executable: it puts the feeds into their slots, executes the steps of
// the variant that the executable chooses, and takes the fetches out.
class PlanRun {
 public:
  // Both outlive the run.
  PlanRun(Executable& executable, const RunContext& context);

  // Runs once. `feeds` has a tensor for each feed of the plan, of the right dtype; `fetched` gets
  // one for each fetch (an empty one for nodes that are only run). When a step fails or the run is
  // cancelled, the steps after it do not run, and variables keep what was assigned before.
  // \error the error of the first step that fails, with the name of its node.
  // \error Cancellation::status, if the run was stopped.
  Status Run(std::span<const Tensor> feeds, std::span<Tensor> fetched);

  // The body of a function may run any number of times: set the arguments, then call RunBody, which
  // moves the results out. `types` are the results' dtypes.
  // \error as for Run.
  Value& arg(size_t i) { return run_.value(run_.plan().slots.feeds[i]); }
  size_t num_args() const { return run_.plan().slots.feeds.size(); }
  Status RunBody(std::span<const DType> types, std::span<Value> results);
  // Drops the arguments and all values.
  void Clear() { run_.Clear(); }

 private:
  // Executes the steps with the class for this kind of plan. Exceptions become errors.
  Status Execute();
  // Runs a plan with control flow, and ends the run on the devices.
  Status RunControlFlow();
  // Runs the steps one after another.
  Status RunInOrder();
  // Runs the steps one after another and reports how long each of them took.
  Status RunProfiled(StepGrouping& grouping);
  // Copies the fetches to `fetched`, in host memory, and empties their slots.
  Status Fetch(std::span<Tensor> fetched);
  // Moves the results of a function's body out of their slots.
  Status TakeResults(std::span<const DType> types, std::span<Value> results);
  void ReleaseFeeds();

  Executable& executable_;
  ActiveRun run_;
  StepInvoker invoker_;
};

}  // namespace ramet
