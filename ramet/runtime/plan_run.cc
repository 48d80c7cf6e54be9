#include "ramet/runtime/plan_run.h"

#include <algorithm>

#include "ramet/base/exception.h"
#include "ramet/linalg/parallel.h"

namespace ramet {
namespace {

// An error out of many calls names the innermost and the outermost ones.
constexpr size_t kLongMessage = 2000;

}  // namespace

PlanRun::PlanRun(Plan& plan, const ExecutorSettings& settings, const RunControl& control,
                 RunState& state)
    : plan_(Chosen(plan, settings, control)),
      settings_(settings),
      control_(control),
      frame_(plan_.TakeFrame()),
      state_(state) {}

PlanRun::~PlanRun() {
  if (plan_.several_memories) ClearAll();
  plan_.ReturnFrame(std::move(frame_));
}

void PlanRun::SetThread() const {
  linalg::SetIntraOpThreads(settings_.intra_op_threads);
  linalg::SetDeterministic(settings_.deterministic);
}

Status PlanRun::Run(std::span<const Tensor> feeds, std::span<Tensor> fetched) {
  SetThread();
  for (size_t i = 0; i < feeds.size(); ++i) frame_->values[plan_.feed_slots[i]].tensor = feeds[i];
  RunAll();
  if (!status_.ok()) {
    ClearAll();
    return status_;
  }
  Status status = Fetch(fetched);
  for (int32_t slot : plan_.feed_slots) frame_->values[slot] = Value();
  return status;
}

void PlanRun::RunAll() {
  try {
    RunAllSteps();
  } catch (...) {
    Fail(StatusOfException());
  }
}

void PlanRun::RunAllSteps() {
  if (plan_.has_control_flow) {
    status_ = RunSteps(0, static_cast<int32_t>(plan_.steps.size()));
  } else if (plan_.several_memories) {
    RunOnDevices();
  } else if (plan_.has_groups) {
    RunGrouped();
  } else if (ToBeMeasured()) {
    RunMeasured();
  } else {
    RunHere();
  }
}

void PlanRun::RunHere() {
  for (const Step& step : plan_.steps) {
    if (!RunStep(step)) return;
    Release(step);
  }
}

bool PlanRun::RunStep(const Step& step) {
  if (Due()) {
    status_ = control_.cancellation->status();
    return false;
  }
  const bool call = step.kind == Step::Kind::kCall;
  Status status = call ? RunCall(step) : RunKernel(step, frame_->scratch);
  if (status.ok()) return true;
  status_ = Located(step, status);
  return false;
}

void PlanRun::Release(const Step& step) {
  for (int i = 0; i < step.num_releases; ++i) {
    frame_->values[plan_.release_slots[step.first_release + i]] = Value();
  }
}

Status PlanRun::RunKernel(const Step& step, StepScratch& scratch) {
  const KernelEnv& env = settings_.envs[step.device];
  for (int i = 0; i < step.num_inputs; ++i) {
    const Value& value = frame_->values[plan_.input_slots[step.first_input + i]];
    scratch.variables[i] = value.variable;
    scratch.inputs[i] = &value.tensor;
    const bool low = i < 64;
    if (value.variable && !(low && ((step.ref_inputs >> i) & 1))) {
      scratch.resolved[i] = value.variable->Read(state_.followed);
      if (scratch.resolved[i].empty()) {
        if (step.kind == Step::Kind::kMerged) return RunParts(step, scratch);
        return value.variable->UninitializedError();
      }
      scratch.inputs[i] = &scratch.resolved[i];
    }
    if (env.memory && !scratch.inputs[i]->empty() && !scratch.inputs[i]->host_accessible()) {
      scratch.resolved[i] = env.memory->View(*scratch.inputs[i]);
      scratch.inputs[i] = &scratch.resolved[i];
    }
  }
  const size_t n = static_cast<size_t>(step.num_inputs);
  KernelContext context(env, {scratch.inputs.data(), n}, {scratch.variables.data(), n},
                        OutputsOf(step), step.forwardable, state_);
  const int64_t start = control_.recorder ? StepRecorder::Now() : 0;
  const bool merged = step.kind == Step::Kind::kMerged;
  bool done = false;
  Status status = merged ? Guarded([&] {
    done = MergeOf(step).Compute(context);
    return OkStatus();
  })
                         : ComputeGuarded(*step.kernel, context);
  // A kernel that found StopDue() leaves its outputs undefined.
  if (status.ok() && control_.cancellation && control_.cancellation->due()) {
    status = control_.cancellation->status();
  }
  if (control_.recorder) Record(step, start);
  for (int i = 0; i < step.num_inputs; ++i) {
    if (!scratch.resolved[i].empty()) scratch.resolved[i] = Tensor();
  }
  return status.ok() && merged && !done ? RunParts(step, scratch) : status;
}

Status PlanRun::RunParts(const Step& step, StepScratch& scratch) {
  for (Tensor& tensor : scratch.resolved) tensor = Tensor();
  Status status;
  for (const Step& part : MergeOf(step).parts) {
    status = RunKernel(part, scratch);
    if (status.ok()) continue;
    status = Located(part, status);
    break;
  }
  for (int32_t slot : MergeOf(step).between) frame_->values[slot] = Value();
  return status;
}

void PlanRun::Record(const Step& step, int64_t start) {
  control_.recorder->Add(*settings_.graph, control_.callers, step, start, OutputsOf(step));
}

Status PlanRun::Fetch(std::span<Tensor> fetched) {
  for (size_t i = 0; i < fetched.size(); ++i) {
    if (plan_.fetch_slots[i] < 0) continue;
    Value& value = frame_->values[plan_.fetch_slots[i]];
    fetched[i] = value.variable ? value.variable->Read(state_.followed) : value.tensor;
    if (fetched[i].empty()) {
      return value.variable ? value.variable->UninitializedError()
                            : InvalidArgument("Retval[", i, "] does not have value");
    }
    if (!fetched[i].host_accessible()) {
      RAMET_ASSIGN_OR_RETURN(fetched[i], ToHost(fetched[i]));
    }
  }
  for (int32_t slot : plan_.fetch_slots) {
    if (slot >= 0 && !IsPreset(slot)) frame_->values[slot] = Value();
  }
  return OkStatus();
}

bool PlanRun::IsPreset(int32_t slot) const {
  for (auto& [preset, value] : plan_.presets) {
    if (preset == slot) return true;
  }
  return false;
}

void PlanRun::ClearAll() {
  std::ranges::fill(frame_->dead, 0);
  for (Value& value : frame_->values) value = Value();
  for (auto& [slot, value] : plan_.presets) frame_->values[slot].tensor = value;
  for (Tensor& t : frame_->scratch.resolved) t = Tensor();
}

Status PlanRun::Located(const Step& step, const Status& status) const {
  // The end of the run is not the fault of the node that it found at work.
  if (control_.cancellation && status.message() == control_.cancellation->status().message()) {
    return status;
  }
  if (step.kind == Step::Kind::kMerged) return status;  // located in its part
  if (control_.depth > 0 && status.message().size() > kLongMessage) return status;
  std::shared_lock lock(settings_.graph->mutex);
  const std::string_view node = settings_.graph->nodes[step.node].name;
  if (settings_.function == nullptr)
    return status.WithSuffix(StrCat("\n\t [[{{node ", node, "}}]]"));
  return status.WithSuffix(
      StrCat("\n\t [[{{function_node ", *settings_.function, "}}{{node ", node, "}}]]"));
}

}  // namespace ramet
