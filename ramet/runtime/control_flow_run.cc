#include "ramet/runtime/control_flow_run.h"

#include <algorithm>
#include <utility>

#include "ramet/tensor/outside_values.h"

namespace ramet {

Status ControlFlowRun::RunRange(IndexRange range) {
  std::vector<uint8_t>& dead_steps = run_.buffers().dead_steps;
  for (int32_t i = range.first; i < range.first + range.size; ++i) {
    const Step& step = run_.plan().steps[i];
    if (const auto* work = std::get_if<LoopStep>(&step.work)) {
      const PlanLoop& loop = run_.plan().loops[work->loop];
      RAMET_RETURN_IF_ERROR(RunLoop(loop));
      i = loop.steps.first + loop.steps.size - 1;
    } else {
      dead_steps[i] = step.may_be_dead && IsDead(step);
      if (step.may_be_dead) SetDead(step, dead_steps[i]);
      if (!dead_steps[i]) RAMET_RETURN_IF_ERROR(RunAlive(step));
    }
    run_.Release(step);
  }
  return OkStatus();
}

bool ControlFlowRun::IsDead(const Step& step) const {
  const bool merge = step.Is<MergeStep>();
  for (int i = 0; i < step.inputs.size; ++i) {
    if (IsInputDead(step, i) != merge) return !merge;
  }
  for (int i = 0; i < step.control_inputs.size; ++i) {
    const int32_t other = run_.plan().control_inputs[step.control_inputs.first + i];
    if (run_.buffers().dead_steps[other]) return true;
  }
  return merge;
}

void ControlFlowRun::SetDead(const Step& step, bool dead) {
  for (int i = 0; i < step.outputs.size; ++i) dead_[step.outputs.first + i] = dead;
}

Status ControlFlowRun::RunAlive(const Step& step) {
  if (step.Is<SwitchStep>()) {
    const Status status = RunSwitch(step);
    return status.ok() ? status : run_.WithNode(step, status);
  }
  if (const auto* merge = std::get_if<MergeStep>(&step.work)) {
    RunMerge(step, *merge);
  } else if (step.Is<MoveStep>()) {
    run_.Pass(step, 0, &run_.value(step.outputs.first));
  } else if (!step.Is<NoOpStep>()) {
    return invoker_.InvokeAndWait(step);
  }
  return OkStatus();
}

Status ControlFlowRun::RunSwitch(const Step& step) {
  const Value& predicate = run_.input(step, 1);
  const Tensor value = run_.Read(predicate);
  if (value.empty() && predicate.variable) return predicate.variable->UninitializedError();
  if (value.num_elements() != 1) {
    return InvalidArgument("The second input must be a scalar, but it has shape ", value.shape());
  }
  const int taken = IsTrue(value) ? 1 : 0;
  dead_[step.outputs.first + 1 - taken] = 1;
  run_.Pass(step, 0, &run_.value(step.outputs.first + taken));
  return OkStatus();
}

void ControlFlowRun::RunMerge(const Step& step, const MergeStep& merge) {
  int alive = 0;
  while (alive + 1 < step.inputs.size && IsInputDead(step, alive)) ++alive;
  run_.Pass(step, alive, &run_.value(step.outputs.first));
  if (merge.index_used) run_.value(step.outputs.first + 1).tensor = Tensor(int32_t{alive});
}

Status ControlFlowRun::RunLoop(const PlanLoop& loop) {
  const auto alive = [this](int32_t slot) { return IsAlive(slot); };
  BeginLoop(loop);
  if (std::ranges::any_of(loop.enters, alive) || std::ranges::any_of(loop.constants, alive)) {
    do {
      if (run_.MustStop()) return run_.stop_status();
      RAMET_RETURN_IF_ERROR(RunRange(loop.steps));
    } while (EndIteration(loop));
  }
  EndLoop(loop);
  return OkStatus();
}

void ControlFlowRun::BeginLoop(const PlanLoop& loop) {
  for (int32_t slot : loop.next) dead_[slot] = 1;
  for (const auto& [inside, outside] : loop.results) {
    dead_[outside] = 1;
    run_.value(outside) = Value();
  }
}

bool ControlFlowRun::EndIteration(const PlanLoop& loop) {
  for (const auto& [inside, outside] : loop.results) {
    if (!IsAlive(inside)) continue;
    run_.value(outside) = std::exchange(run_.value(inside), Value());
    dead_[outside] = 0;
  }
  for (int32_t slot : loop.enters) {
    dead_[slot] = 1;
    run_.value(slot) = Value();
  }
  return std::ranges::any_of(loop.next, [this](int32_t slot) { return IsAlive(slot); });
}

void ControlFlowRun::EndLoop(const PlanLoop& loop) {
  for (int32_t slot : loop.enters) dead_[slot] = 0;
  for (const auto* slots : {&loop.enters, &loop.constants, &loop.next}) {
    for (int32_t slot : *slots) run_.value(slot) = Value();
  }
}

}  // namespace ramet
