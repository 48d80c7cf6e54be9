#include "ramet/runtime/plan_run.h"

#include <algorithm>

#include "ramet/base/exception.h"
#include "ramet/base/float_control.h"
#include "ramet/linalg/parallel.h"
#include "ramet/runtime/control_flow_run.h"
#include "ramet/runtime/device_run.h"
#include "ramet/runtime/group_run.h"
#include "ramet/runtime/waiting_run.h"

namespace ramet {
namespace {

int64_t Nanos() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

PlanRun::PlanRun(Executable& executable, const RunContext& context)
    : executable_(executable), run_(executable.Choose(context), context), invoker_(run_) {}

Status PlanRun::Run(std::span<const Tensor> feeds, std::span<Tensor> fetched) {
  run_.PrepareThread();
  for (size_t i = 0; i < feeds.size(); ++i) arg(i).tensor = feeds[i];
  if (Status status = Execute(); !status.ok()) {
    run_.Clear();
    return status;
  }
  const Status status = Fetch(fetched);
  ReleaseFeeds();
  return status;
}

Status PlanRun::RunBody(std::span<const DType> types, std::span<Value> results) {
  Status status = Execute();
  if (status.ok()) status = TakeResults(types, results);
  if (!status.ok()) {
    run_.Clear();
    return status;
  }
  ReleaseFeeds();
  return OkStatus();
}

Status PlanRun::Execute() {
  const ScopedFlushDenormals flush;
  return Guarded([this]() -> Status {
    const Plan& plan = run_.plan();
    if (plan.traits.has_control_flow) return RunControlFlow();
    if (plan.traits.has_several_memories) return DeviceRun(run_, invoker_).Run();
    if (!plan.precedence.after.empty()) return WaitingRun(run_, invoker_).Run();
    if (plan.traits.has_groups) return GroupRun(run_, invoker_).Run();
    StepGrouping* const grouping = executable_.GroupingToProfile(plan, run_.context());
    return grouping != nullptr ? RunProfiled(*grouping) : RunInOrder();
  });
}

Status PlanRun::RunControlFlow() {
  Status status = ControlFlowRun(run_, invoker_).Run();
  if (!run_.plan().traits.has_several_memories) return status;
  status.Update(EndOnDevices(run_.context()));
  return status;
}

Status PlanRun::RunInOrder() {
  for (const Step& step : run_.plan().steps) {
    RAMET_RETURN_IF_ERROR(invoker_.Invoke(step));
    run_.Release(step);
  }
  return OkStatus();
}

Status PlanRun::RunProfiled(StepGrouping& grouping) {
  const Plan& plan = run_.plan();
  const auto names_variable = [](const Value& value) { return value.variable != nullptr; };
  StepProfile profile;
  for (const Step& step : plan.steps) {
    const int64_t teams = linalg::TeamsStarted();
    const int64_t start = Nanos();
    RAMET_RETURN_IF_ERROR(invoker_.Invoke(step));
    profile.nanos.push_back(Nanos() - start);
    profile.had_team.push_back(linalg::TeamsStarted() != teams);
    profile.names_variable.push_back(
        std::ranges::any_of(run_.outputs(step), names_variable) ||
        std::ranges::any_of(plan.inputs_of(step), [&](const StepInput& input) {
          return names_variable(run_.value(input.slot));
        }));
    run_.Release(step);
  }
  grouping.Note(plan, *run_.settings().graph, run_.settings().inter_op_threads, profile);
  return OkStatus();
}

Status PlanRun::Fetch(std::span<Tensor> fetched) {
  const std::vector<int32_t>& slots = run_.plan().slots.fetches;
  for (size_t i = 0; i < fetched.size(); ++i) {
    if (slots[i] < 0) continue;
    const Value& value = run_.value(slots[i]);
    fetched[i] = run_.Read(value);
    if (fetched[i].empty()) {
      return value.variable ? value.variable->UninitializedError()
                            : InvalidArgument("Retval[", i, "] does not have value");
    }
    if (!fetched[i].host_accessible()) {
      RAMET_ASSIGN_OR_RETURN(fetched[i], run_.ToHost(fetched[i]));
    }
  }
  for (int32_t slot : slots) run_.ReleaseFetched(slot);
  return OkStatus();
}

Status PlanRun::TakeResults(std::span<const DType> types, std::span<Value> results) {
  const Plan& plan = run_.plan();
  for (size_t i = 0; i < results.size(); ++i) {
    const int32_t slot = plan.slots.fetches[i];
    const Value& value = run_.value(slot);
    results[i] = value;
    if (value.variable != nullptr && types[i] != DType::kResource) {
      results[i] = {run_.Read(value), nullptr};
      if (results[i].tensor.empty()) return value.variable->UninitializedError();
    }
    const bool is_dead = plan.traits.has_control_flow && run_.buffers().dead[slot] != 0;
    if (is_dead || (results[i].tensor.empty() && results[i].variable == nullptr)) {
      return InvalidArgument("Retval[", i, "] does not have value");
    }
  }
  for (int32_t slot : plan.slots.fetches) run_.ReleaseFetched(slot);
  return OkStatus();
}

void PlanRun::ReleaseFeeds() {
  for (int32_t slot : run_.plan().slots.feeds) run_.value(slot) = Value();
}

}  // namespace ramet
