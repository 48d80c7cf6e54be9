#include "ramet/runtime/kernel_invoker.h"

#include "ramet/base/exception.h"
#include "ramet/base/wall_clock.h"

namespace ramet {

Status KernelInvoker::Invoke(const Step& step, StepScratch& scratch) {
  const auto* const fused = std::get_if<FusedStep>(&step.work);
  if (const VariableState* missing = Resolve(step, scratch)) {
    return fused ? InvokeParts(FusionOf(*fused), scratch) : missing->UninitializedError();
  }
  const RunContext& run = run_.context();
  KernelContext context(run.settings.envs[step.device],
                        {scratch.inputs.data(), static_cast<size_t>(step.inputs.size)},
                        run_.outputs(step), run.state);
  const int64_t input_bytes = run.recorder ? run_.InputBytes(step) : 0;
  const int64_t start = run.recorder ? WallClockNanos() : 0;
  bool done = true;
  Status status = Compute(step, context, &done);
  // A kernel that found StopDue() leaves its outputs undefined.
  const Cancellation* const cancellation = run.state.cancellation;
  if (status.ok() && cancellation && cancellation->due()) status = cancellation->status();
  if (run.recorder && done) run_.Record(step, start, input_bytes);
  for (int i = 0; i < step.inputs.size; ++i) {
    if (!scratch.resolved[i].empty()) scratch.resolved[i] = Tensor();
  }
  return status.ok() && !done ? InvokeParts(FusionOf(*fused), scratch) : status;
}

const VariableState* KernelInvoker::Resolve(const Step& step, StepScratch& scratch) {
  const DeviceMemory* const memory = run_.settings().envs[step.device].memory;
  const std::span<const StepInput> inputs = run_.plan().inputs_of(step);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Value& value = run_.value(inputs[i].slot);
    KernelInput& input = scratch.inputs[i];
    input = {&value.tensor, value.variable, inputs[i].is_last_use};
    if (value.variable && !inputs[i].is_ref) {
      scratch.resolved[i] = run_.Read(value);
      if (scratch.resolved[i].empty()) return value.variable;
      input.tensor = &scratch.resolved[i];
    }
    if (memory && !input.tensor->empty() && !input.tensor->host_accessible()) {
      Tensor view = memory->View(*input.tensor);
      // A view of the same buffer would keep the kernel from reusing it.
      if (view.buffer().get() == input.tensor->buffer().get()) continue;
      scratch.resolved[i] = std::move(view);
      input.tensor = &scratch.resolved[i];
    }
  }
  return nullptr;
}

Status KernelInvoker::Compute(const Step& step, KernelContext& context, bool* done) {
  if (const auto* kernel = std::get_if<KernelStep>(&step.work)) {
    return ComputeGuarded(*kernel->kernel, context);
  }
  return Guarded([&] {
    *done = FusionOf(std::get<FusedStep>(step.work)).Compute(context);
    return OkStatus();
  });
}

Status KernelInvoker::InvokeParts(const Fusion& fusion, StepScratch& scratch) {
  for (Tensor& tensor : scratch.resolved) tensor = Tensor();
  Status status;
  for (const Step& part : fusion.parts) {
    status = Invoke(part, scratch);
    if (status.ok()) continue;
    status = run_.WithNode(part, status);
    break;
  }
  for (int32_t slot : fusion.between) run_.value(slot) = Value();
  return status;
}

}  // namespace ramet
