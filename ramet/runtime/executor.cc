#include "ramet/runtime/executor.h"

#include "ramet/linalg/parallel.h"
#include "ramet/runtime/plan_run.h"

namespace ramet {

Status RunPlan(Plan& plan, const ExecutorSettings& settings, std::span<const Tensor> feeds,
               std::span<Tensor> fetched, const RunControl& control) {
  RAMET_RETURN_IF_ERROR(linalg::CheckNotForked());
  RunState state;
  state.cancellation = control.cancellation;
  state.followed = control.followed;
  return PlanRun(plan, settings, control, state).Run(feeds, fetched);
}

}  // namespace ramet
