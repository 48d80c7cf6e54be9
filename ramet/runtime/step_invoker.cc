#include "ramet/runtime/step_invoker.h"

#include <utility>

#include "ramet/base/exception.h"
#include "ramet/base/float_control.h"
#include "ramet/base/run_interrupt.h"
#include "ramet/tensor/memory_owners.h"

namespace ramet {
namespace {

// Makes a step's node the owner of the device memory that the step allocates.
class StepOwner final : public OwnerScope {
 public:
  StepOwner(const ActiveRun& run, const Step& step) : run_(run), step_(step) {}
  std::string Name() const override { return StrCat("node '", run_.NodeName(step_), "'"); }

 private:
  const ActiveRun& run_;
  const Step& step_;
};

}  // namespace

Status StepInvoker::Invoke(const Step& step, StepScratch& scratch) {
  if (run_.MustStop()) return run_.stop_status();
  const Status status = Dispatch(step, scratch);
  return status.ok() ? status : run_.WithNode(step, status);
}

Status StepInvoker::Dispatch(const Step& step, StepScratch& scratch) {
  if (step.Is<CallStep>()) return calls_.Invoke(step);
  if (step.Is<CopyToDeviceStep>() || step.Is<CopyToHostStep>()) return Copy(step);
  if (!run_.plan().traits.has_several_memories) return kernels_.Invoke(step, scratch);
  if (!run_.settings().devices[step.device]->asynchronous()) return InvokeOnDevice(step, scratch);
  // The device's thread runs the step, next to the caller's. The parts of a fused step may have
  // more inputs than the step.
  StepScratch own(step.Is<FusedStep>() ? run_.plan().traits.max_inputs : step.inputs.size);
  return InvokeOnDevice(step, own);
}

Status StepInvoker::InvokeOnDevice(const Step& step, StepScratch& scratch) {
  const StepOwner owner(run_, step);
  RAMET_RETURN_IF_ERROR(kernels_.Invoke(step, scratch));
  for (int i = 0; i < step.outputs.size; ++i) {
    RAMET_RETURN_IF_ERROR(MoveOutput(step, step.outputs.first + i));
  }
  return OkStatus();
}

Status StepInvoker::MoveOutput(const Step& step, int32_t slot) {
  Value& value = run_.value(slot);
  const bool to_host = run_.plan().slots.in_host_memory[slot];
  if (value.variable && !to_host) {
    RAMET_RETURN_IF_ERROR(MoveVariable(*value.variable, step.device));
  }
  const DeviceMemory* const memory = run_.settings().envs[step.device].memory;
  if (memory == nullptr || value.tensor.empty()) return OkStatus();
  // Kernels make tensors in host memory, or views of the device's memory.
  const bool is_view = value.tensor.buffer()->base() != nullptr;
  const bool on_host = value.tensor.host_accessible() && !is_view;
  if (to_host && on_host) return OkStatus();
  if (to_host) {
    RAMET_ASSIGN_OR_RETURN(value.tensor, value.tensor.DeepCopy());
  } else if (on_host) {
    RAMET_ASSIGN_OR_RETURN(value.tensor,
                           run_.settings().devices[step.device]->CopyFromHost(value.tensor));
  } else {
    value.tensor = memory->Unview(value.tensor);
  }
  return OkStatus();
}

// The value is moved, not set: a run of another version, or another thread that assigns the
// variable meanwhile, keeps its own value.
Status StepInvoker::MoveVariable(VariableState& variable, int device) {
  const FollowedValues* const followed = run_.context().state.followed;
  const DeviceMemory* const memory = run_.settings().envs[device].memory;
  while (true) {
    const Tensor value = variable.Read(followed);
    if (value.empty() || value.memory() == memory) return OkStatus();
    RAMET_ASSIGN_OR_RETURN(Tensor moved, run_.ToHost(value));
    if (memory != nullptr) {
      RAMET_ASSIGN_OR_RETURN(moved, run_.settings().devices[device]->CopyFromHost(moved));
    }
    variable.Move(value, std::move(moved), followed);
  }
}

Status StepInvoker::Copy(const Step& step) {
  const StepOwner owner(run_, step);
  const Value& from = run_.input(step, 0);
  const Tensor value = run_.Read(from);
  if (value.empty() && from.variable) return from.variable->UninitializedError();
  Tensor& to = run_.value(step.outputs.first).tensor;
  if (step.Is<CopyToHostStep>()) {
    RAMET_ASSIGN_OR_RETURN(to, run_.ToHost(value));
  } else {
    RAMET_ASSIGN_OR_RETURN(const Tensor host, run_.ToHost(value));
    RAMET_ASSIGN_OR_RETURN(to, run_.settings().devices[step.device]->CopyFromHost(host));
  }
  return OkStatus();
}

Status StepInvoker::InvokeAndWait(const Step& step) {
  Device& device = *run_.settings().devices[step.device];
  if (!device.asynchronous() || step.Is<CallStep>()) return Invoke(step);
  Status status;
  Enqueue(device, [&] { status = Guarded([&] { return Invoke(step); }); });
  const Status finished = device.Synchronize();
  return status.ok() ? finished : status;
}

void StepInvoker::Enqueue(Device& device, std::function<void()> work) {
  device.Enqueue([this, work = std::move(work)] {
    run_.PrepareThread();
    const ScopedFlushDenormals flush;
    const CancellationScope scope(run_.context().state.cancellation);
    work();
  });
}

}  // namespace ramet
