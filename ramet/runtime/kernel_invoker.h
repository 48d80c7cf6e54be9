#pragma once

#include "ramet/runtime/active_run.h"

namespace ramet {

// A KernelInvoker runs kernels: it resolves the inputs of a step, calls its kernel, and releases
// what it resolved.
class KernelInvoker {
 public:
  explicit KernelInvoker(ActiveRun& run) : run_(run) {}
  // Runs a KernelStep or a FusedStep. Several threads may run different steps at once, each with
  // scratch of its own.
  // \error kFailedPrecondition: a variable is uninitialized.
  // \error any error of the kernel.
  // \error Cancellation::status, if the run was stopped meanwhile.
  Status Invoke(const Step& step, StepScratch& scratch);

 private:
  const Fusion& FusionOf(const FusedStep& step) const { return run_.plan().fusions[step.fusion]; }
  // Points `scratch` at the input tensors. Returns a variable without a value, if an input is one.
  const VariableState* Resolve(const Step& step, StepScratch& scratch);
  // Calls the kernel. Sets `*done` to false, with no side effects, if a fused step has to run its
  // parts instead.
  Status Compute(const Step& step, KernelContext& context, bool* done);
  // Runs the parts of a fused step one by one.
  Status InvokeParts(const Fusion& fusion, StepScratch& scratch);

  ActiveRun& run_;
};

}  // namespace ramet
