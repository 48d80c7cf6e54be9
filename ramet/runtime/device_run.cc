#include "ramet/runtime/device_run.h"

#include "ramet/base/exception.h"

namespace ramet {

Status DeviceRun::Run() {
  const Status dispatched = Guarded([this] {
    DispatchSteps();
    return OkStatus();
  });
  if (!dispatched.ok()) error_.Set(dispatched);
  SynchronizeAll();
  return error_.status();
}

void DeviceRun::DispatchSteps() {
  for (const Step& step : run_.plan().steps) {
    if (error_.is_set()) return;
    Dispatch(step);
    run_.Release(step);
  }
}

void DeviceRun::Dispatch(const Step& step) {
  Device& device = *run_.settings().devices[step.device];
  const bool to_host = step.Is<CopyToHostStep>();
  if (step.Is<CallStep>()) SynchronizeAll();  // it reads values of all devices
  if (!device.asynchronous()) return InvokeStep(step);
  if (to_host) Synchronize(device);
  invoker_.Enqueue(device, [this, &step] { InvokeStep(step); });
  if (to_host) Synchronize(device);  // the host reads the copy next
}

void DeviceRun::InvokeStep(const Step& step) {
  if (error_.is_set()) return;
  const Status status = Guarded([&] { return invoker_.Invoke(step); });
  if (!status.ok()) error_.Set(status);
}

void DeviceRun::Synchronize(Device& device) {
  const Status status = device.Synchronize();
  if (!status.ok()) error_.Set(status);
}

void DeviceRun::SynchronizeAll() {
  for (Device* device : run_.settings().devices) Synchronize(*device);
}

}  // namespace ramet
