#include "ramet/runtime/group_run.h"

#include "ramet/base/exception.h"
#include "ramet/base/run_interrupt.h"
#include "ramet/linalg/parallel.h"
#include "ramet/linalg/team.h"

namespace ramet {

Status GroupRun::Run() {
  const Plan& plan = run_.plan();
  run_.buffers().lanes.resize(run_.settings().inter_op_threads,
                              StepScratch(plan.traits.max_inputs));
  for (size_t i = 0; i < plan.steps.size(); i += plan.steps[i].group_size) {
    const auto size = static_cast<size_t>(plan.steps[i].group_size);
    RAMET_RETURN_IF_ERROR(size == 1 ? invoker_.Invoke(plan.steps[i])
                                    : RunGroup({plan.steps.data() + i, size}));
    run_.Release(plan.steps[i + size - 1]);
  }
  return OkStatus();
}

Status GroupRun::RunGroup(std::span<const Step> group) {
  std::atomic<size_t> next = 0;
  auto run_lane = [&](int lane) { RunLane(group, next, lane); };
  // Steps may wait for each other, so each lane gets a thread even while the processors are busy.
  linalg::RunTeam(
      linalg::TeamLimit(run_.settings().inter_op_threads), linalg::Members::kMayWait,
      [](void* run, int lane) { (*static_cast<decltype(run_lane)*>(run))(lane); }, &run_lane);
  return error_.is_set() ? error_.status() : OkStatus();
}

void GroupRun::RunLane(std::span<const Step> group, std::atomic<size_t>& next, int lane) {
  linalg::SetDeterministic(run_.settings().deterministic);
  const CancellationScope scope(run_.context().state.cancellation);
  for (size_t i = next++; i < group.size() && !error_.is_set(); i = next++) {
    const Status status =
        Guarded([&] { return invoker_.Invoke(group[i], run_.buffers().lanes[lane]); });
    if (!status.ok()) error_.Set(status);
  }
}

}  // namespace ramet
