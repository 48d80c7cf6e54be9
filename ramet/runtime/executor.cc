#include "ramet/runtime/executor.h"

#include "ramet/base/run_interrupt.h"
#include "ramet/runtime/plan_run.h"

namespace ramet {

Status RunPlan(Plan& plan, const ExecutorSettings& settings, std::span<const Tensor> feeds,
               std::span<Tensor> fetched, const RunControl& control) {
  const CancellationScope scope(control.cancellation);
  RunState state;
  state.cancellation = control.cancellation;
  state.followed = control.followed;
  return PlanRun(plan, settings, control, state).Run(feeds, fetched);
}

}  // namespace ramet
