#pragma once

#include "ramet/runtime/first_error.h"
#include "ramet/runtime/step_invoker.h"

namespace ramet {

// A DeviceRun executes a plan whose steps are on several devices. Steps of an asynchronous device
// go to the device's queue in order, so that it works while the caller's thread continues.
class DeviceRun {
 public:
  DeviceRun(ActiveRun& run, StepInvoker& invoker) : run_(run), invoker_(invoker) {}
  // Returns after the devices have finished this run.
  // \error the first error of a step.
  Status Run();

 private:
  // Runs or enqueues the steps, until one has failed.
  void DispatchSteps();
  void Dispatch(const Step& step);
  // Runs a step on the calling thread, unless a step has failed.
  void InvokeStep(const Step& step);
  // Wait for a device, or all of them, and keep their errors.
  void Synchronize(Device& device);
  void SynchronizeAll();

  ActiveRun& run_;
  StepInvoker& invoker_;
  FirstError error_;
};

}  // namespace ramet
