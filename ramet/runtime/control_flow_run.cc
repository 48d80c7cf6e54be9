#include "ramet/runtime/plan_run.h"

#include <algorithm>

#include "ramet/base/exception.h"
#include "ramet/tensor/outside_values.h"

namespace ramet {

// What is dead is not run. A step is dead if one of its inputs, or of the steps that it waits for,
// is; a Merge if all of its inputs are. Source: as ControlFlow.
Status PlanRun::RunSteps(int32_t begin, int32_t end) {
  for (int32_t i = begin; i < end; ++i) {
    const Step& step = plan_.steps[i];
    if (Due()) return control_.cancellation->status();
    if (step.kind == Step::Kind::kLoop) {
      const PlanLoop& loop = plan_.loops[step.loop];
      RAMET_RETURN_IF_ERROR(RunLoop(loop));
      i = loop.end_step - 1;
    } else if (step.mortal && IsDead(step)) {
      frame_->dead_steps[i] = 1;
      SetDead(step, 1);
    } else {
      frame_->dead_steps[i] = 0;
      if (step.mortal) SetDead(step, 0);
      if (Status status = RunAlive(step); !status.ok()) return Located(step, status);
    }
    for (int k = 0; k < step.num_releases; ++k) {
      frame_->values[plan_.release_slots[step.first_release + k]] = Value();
    }
  }
  return OkStatus();
}

bool PlanRun::IsDead(const Step& step) const {
  const bool merge = step.kind == Step::Kind::kMerge;
  for (int i = 0; i < step.num_inputs; ++i) {
    if (static_cast<bool>(DeadInput(step, i)) != merge) return !merge;
  }
  for (int i = 0; i < step.num_guards; ++i) {
    if (frame_->dead_steps[plan_.guards[step.first_guard + i]]) return true;
  }
  return merge;
}

void PlanRun::SetDead(const Step& step, uint8_t dead) {
  for (int i = 0; i < step.num_outputs; ++i) frame_->dead[step.first_output + i] = dead;
}

Status PlanRun::RunAlive(const Step& step) {
  switch (step.kind) {
    case Step::Kind::kSwitch: return RunSwitch(step);
    case Step::Kind::kMerge: RunMerge(step); return OkStatus();
    case Step::Kind::kMove: PassOn(step, 0, 0); return OkStatus();
    case Step::Kind::kNothing: return OkStatus();
    default: return RunWork(step);
  }
}

// Kernels and copies. A device's queue is waited for: what follows may depend on the value.
Status PlanRun::RunWork(const Step& step) {
  if (step.kind == Step::Kind::kCall) return RunCall(step);
  if (!plan_.several_memories) return RunKernel(step, frame_->scratch);
  Device& device = *settings_.devices[step.device];
  auto work = [&] { return step.kind == Step::Kind::kKernel ? RunOnDevice(step) : Copy(step); };
  if (!device.asynchronous()) return work();
  Status status;
  device.Enqueue([&] {
    SetThread();
    const CancellationScope scope(control_.cancellation);
    status = Guarded(work);
  });
  device.Synchronize();
  return status;
}

Status PlanRun::RunSwitch(const Step& step) {
  const Value& chooser = InputOf(step, 1);
  const Tensor pred = chooser.variable ? chooser.variable->Read(state_.followed) : chooser.tensor;
  if (pred.empty() && chooser.variable) return chooser.variable->UninitializedError();
  if (pred.num_elements() != 1) {
    return InvalidArgument("The second input must be a scalar, but it has shape ", pred.shape());
  }
  const int taken = IsTrue(pred) ? 1 : 0;
  frame_->dead[step.first_output + 1 - taken] = 1;
  PassOn(step, 0, taken);
  return OkStatus();
}

void PlanRun::RunMerge(const Step& step) {
  int alive = 0;
  while (alive + 1 < step.num_inputs && DeadInput(step, alive)) ++alive;
  PassOn(step, alive, 0);
  if (!step.index_used) return;
  frame_->values[step.first_output + 1].tensor = Tensor(static_cast<int32_t>(alive));
}

void PlanRun::PassOn(const Step& step, int input, int output) {
  Value& from = InputOf(step, input);
  Value& to = frame_->values[step.first_output + output];
  if (input < 64 && ((step.forwardable >> input) & 1)) {
    to = std::move(from);
    from = Value();
  } else {
    to = from;
  }
}

Status PlanRun::RunLoop(const PlanLoop& loop) {
  auto alive = [&](int32_t slot) { return frame_->dead[slot] == 0; };
  BeginLoop(loop);
  if (std::ranges::any_of(loop.enters, alive) || std::ranges::any_of(loop.constants, alive)) {
    do {
      RAMET_RETURN_IF_ERROR(RunSteps(loop.first_step, loop.end_step));
    } while (EndIteration(loop));
  }
  EndLoop(loop);
  return OkStatus();
}

void PlanRun::BeginLoop(const PlanLoop& loop) {
  for (int32_t slot : loop.next) frame_->dead[slot] = 1;
  for (auto [within, outside] : loop.results) {
    frame_->dead[outside] = 1;
    frame_->values[outside] = Value();
  }
}

// Keeps what leaves the loop; whether anything goes on to another iteration.
bool PlanRun::EndIteration(const PlanLoop& loop) {
  for (auto [within, outside] : loop.results) {
    if (frame_->dead[within]) continue;
    frame_->values[outside] = std::move(frame_->values[within]);
    frame_->values[within] = Value();
    frame_->dead[outside] = 0;
  }
  for (int32_t slot : loop.enters) {
    frame_->dead[slot] = 1;
    frame_->values[slot] = Value();
  }
  return std::ranges::any_of(loop.next, [&](int32_t slot) { return frame_->dead[slot] == 0; });
}

void PlanRun::EndLoop(const PlanLoop& loop) {
  for (int32_t slot : loop.enters) frame_->dead[slot] = 0;
  for (const auto* slots : {&loop.enters, &loop.constants, &loop.next}) {
    for (int32_t slot : *slots) frame_->values[slot] = Value();
  }
}

}  // namespace ramet
