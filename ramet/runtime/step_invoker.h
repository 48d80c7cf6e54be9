#pragma once

#include <functional>

#include "ramet/runtime/call_invoker.h"
#include "ramet/runtime/kernel_invoker.h"

namespace ramet {

// A StepInvoker runs steps that do work: kernels, function calls, and copies between memories. It
// leaves each value in the memory that the plan expects it in.
class StepInvoker {
 public:
  explicit StepInvoker(ActiveRun& run) : run_(run), kernels_(run), calls_(run) {}

  // Runs a step on the calling thread: the device's own if the device has a queue. Several threads
  // may run different steps at once, each with scratch of its own.
  // \error Cancellation::status, if the run must stop.
  // \error any error of the step, with the name of its node.
  Status Invoke(const Step& step, StepScratch& scratch);
  Status Invoke(const Step& step) { return Invoke(step, run_.buffers().scratch); }
  // Invokes a step on its device's queue, if it has one, and waits for it.
  Status InvokeAndWait(const Step& step);
  // Runs `work` on the device's queue, in a thread that is prepared for this run.
  void Enqueue(Device& device, std::function<void()> work);

 private:
  Status Dispatch(const Step& step, StepScratch& scratch);
  // Runs a kernel in a plan with several memories.
  Status InvokeOnDevice(const Step& step, StepScratch& scratch);
  // Moves an output to the memory that the plan expects it in.
  Status MoveOutput(const Step& step, int32_t slot);
  // Moves a variable's value to the memory of a device.
  Status MoveVariable(VariableState& variable, int device);
  // Runs a CopyToDeviceStep or a CopyToHostStep.
  Status Copy(const Step& step);

  ActiveRun& run_;
  KernelInvoker kernels_;
  CallInvoker calls_;
};

}  // namespace ramet
