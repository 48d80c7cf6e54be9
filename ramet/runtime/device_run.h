#pragma once

#include "ramet/runtime/first_error.h"
#include "ramet/runtime/step_invoker.h"

namespace ramet {

// Ends a run on all devices. A run inside of a function call goes on, so that it waits only for
// devices that work on a thread of their own.
// \error as Device::EndRun.
Status EndOnDevices(const RunContext& context);

// A DeviceRun executes a plan whose steps are on several devices. Steps of an asynchronous device
// go to the device's queue in order, so that it works while the caller's thread continues.
class DeviceRun {
 public:
  DeviceRun(ActiveRun& run, StepInvoker& invoker) : run_(run), invoker_(invoker) {}
  // Returns after the devices have ended this run (EndOnDevices).
  // \error the first error of a step.
  Status Run();

 private:
  // Runs or enqueues the steps, until one has failed.
  void DispatchSteps();
  bool IsDone(const Step& step);
  void Dispatch(const Step& step);
  // Runs a step on the calling thread, unless a step has failed.
  void InvokeStep(const Step& step);
  void NoteError(const Status& status);
  void SynchronizeAsynchronous();

  ActiveRun& run_;
  StepInvoker& invoker_;
  FirstError error_;
};

}  // namespace ramet
