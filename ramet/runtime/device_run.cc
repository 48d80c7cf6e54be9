#include "ramet/runtime/device_run.h"

#include "ramet/base/exception.h"

namespace ramet {

Status EndOnDevices(const RunContext& context) {
  Status status;
  for (Device* device : context.settings.devices) {
    if (context.depth == 0) {
      status.Update(device->EndRun());
    } else if (device->asynchronous()) {
      status.Update(device->Synchronize());
    }
  }
  return status;
}

Status DeviceRun::Run() {
  const Status dispatched = Guarded([this] {
    DispatchSteps();
    return OkStatus();
  });
  if (!dispatched.ok()) error_.Set(dispatched);
  NoteError(EndOnDevices(run_.context()));
  return error_.status();
}

void DeviceRun::DispatchSteps() {
  for (const Step& step : run_.plan().steps) {
    if (error_.is_set()) return;
    if (IsDone(step)) continue;
    Dispatch(step);
    run_.Release(step);
  }
}

// A constant is in its slot since the first run. Traced runs show all steps.
bool DeviceRun::IsDone(const Step& step) {
  return step.is_constant && run_.context().recorder == nullptr &&
         !run_.value(step.outputs.first).tensor.empty();
}

void DeviceRun::Dispatch(const Step& step) {
  Device& device = *run_.settings().devices[step.device];
  const bool to_host = step.Is<CopyToHostStep>();
  if (step.Is<CallStep>()) SynchronizeAsynchronous();  // it reads values of all devices
  if (!device.asynchronous()) return InvokeStep(step);
  if (to_host) NoteError(device.Synchronize());
  invoker_.Enqueue(device, [this, &step] { InvokeStep(step); });
  if (to_host) NoteError(device.Synchronize());  // the host reads the copy next
}

void DeviceRun::InvokeStep(const Step& step) {
  if (error_.is_set()) return;
  const Status status = Guarded([&] { return invoker_.Invoke(step); });
  if (!status.ok()) error_.Set(status);
}

void DeviceRun::NoteError(const Status& status) {
  if (!status.ok()) error_.Set(status);
}

void DeviceRun::SynchronizeAsynchronous() {
  for (Device* device : run_.settings().devices) {
    if (device->asynchronous()) NoteError(device->Synchronize());
  }
}

}  // namespace ramet
