#include "ramet/base/exception.h"
#include "ramet/runtime/plan_run.h"

namespace ramet {

// Nothing leaves before the devices' threads are done with this run.
void PlanRun::RunOnDevices() {
  const Status handed_out = Guarded([this] {
    HandOutSteps();
    return OkStatus();
  });
  if (!handed_out.ok()) Fail(handed_out);
  for (Device* device : settings_.devices) device->Synchronize();
}

void PlanRun::HandOutSteps() {
  for (const Step& step : plan_.steps) {
    if (failed_) break;
    Device& device = *settings_.devices[step.device];
    if (step.kind == Step::Kind::kCopyToHost) device.Synchronize();
    if (step.kind == Step::Kind::kCall) {
      for (Device* other : settings_.devices) other->Synchronize();
    }
    if (!device.asynchronous()) {
      RunAnywhere(step);
      continue;
    }
    device.Enqueue([this, &step] {
      SetThread();
      const CancellationScope scope(control_.cancellation);
      RunAnywhere(step);
    });
    if (step.kind == Step::Kind::kCopyToHost) device.Synchronize();
  }
}

void PlanRun::RunAnywhere(const Step& step) {
  if (failed_) return;
  if (Due()) return Fail(control_.cancellation->status());
  Status status = Guarded([&] {
    return step.kind == Step::Kind::kKernel ? RunOnDevice(step)
           : step.kind == Step::Kind::kCall ? RunCall(step)
                                            : Copy(step);
  });
  if (!status.ok()) Fail(Located(step, status));
}

void PlanRun::Fail(const Status& status) {
  std::lock_guard lock(mutex_);
  status_.Update(status);
  failed_ = true;
}

Status PlanRun::RunOnDevice(const Step& step) {
  const KernelEnv& env = settings_.envs[step.device];
  StepScratch scratch(step.num_inputs);
  RAMET_RETURN_IF_ERROR(RunKernel(step, scratch));
  for (int i = 0; i < step.num_outputs; ++i) {
    Value& value = frame_->values[step.first_output + i];
    const bool to_host = i < 64 && ((step.host_outputs >> i) & 1);
    if (value.variable && !to_host) RAMET_RETURN_IF_ERROR(Settle(*value.variable, step.device));
    if (env.memory == nullptr || value.tensor.empty()) continue;
    const bool on_host = value.tensor.host_accessible() && value.tensor.buffer()->base() == nullptr;
    if (to_host && on_host) continue;
    if (to_host) {
      RAMET_ASSIGN_OR_RETURN(value.tensor, value.tensor.DeepCopy());
    } else if (on_host) {
      RAMET_ASSIGN_OR_RETURN(value.tensor,
                             settings_.devices[step.device]->CopyFromHost(value.tensor));
    } else {
      value.tensor = env.memory->Unview(value.tensor);
    }
  }
  return OkStatus();
}

Status PlanRun::Settle(VariableState& variable, int device) {
  Tensor value = variable.Read(state_.followed);
  const bool own = settings_.envs[device].memory != nullptr;
  if (value.empty() || value.host_accessible() != own) return OkStatus();
  if (own) {
    RAMET_ASSIGN_OR_RETURN(value, settings_.devices[device]->CopyFromHost(value));
  } else {
    RAMET_ASSIGN_OR_RETURN(value, ToHost(value));
  }
  variable.Set(value, state_.followed);
  return OkStatus();
}

StatusOr<Tensor> PlanRun::ToHost(const Tensor& value) {
  for (size_t d = 0; d < settings_.devices.size(); ++d) {
    if (settings_.envs[d].memory) return settings_.devices[d]->CopyToHost(value);
  }
  return Internal("a value is in the memory of a device that this session does not have");
}

Status PlanRun::Copy(const Step& step) {
  const Value& from = frame_->values[plan_.input_slots[step.first_input]];
  Tensor value = from.tensor;
  if (from.variable) {
    value = from.variable->Read(state_.followed);
    if (value.empty()) return from.variable->UninitializedError();
  }
  Tensor& to = frame_->values[step.first_output].tensor;
  Device& device = *settings_.devices[step.device];
  if (step.kind == Step::Kind::kCopyToDevice) {
    RAMET_ASSIGN_OR_RETURN(to, device.CopyFromHost(value));
  } else {
    RAMET_ASSIGN_OR_RETURN(to, device.CopyToHost(value));
  }
  return OkStatus();
}

}  // namespace ramet
