#include <unistd.h>

#include <cstdlib>

#include "ramet/backends/gpu/chosen_devices.h"
#include "ramet/backends/gpu/gpu_device.h"
#include "ramet/base/log.h"
#include "ramet/device/device_discovery.h"

// Registers the device type GPU. Its devices are found when the first session that may have a GPU
// is created.

namespace ramet::gpu {
namespace {

// The GPUs of the process, which the registry takes over one by one.
struct Found {
  Mutex mutex;
  bool searched RAMET_GUARDED_BY(mutex) = false;
  Status status RAMET_GUARDED_BY(mutex);
  GpuOptions options RAMET_GUARDED_BY(mutex);
  std::vector<std::unique_ptr<GpuDevice>> devices RAMET_GUARDED_BY(mutex);

  static Found& Global() {
    static auto* const found = new Found;
    return *found;
  }
};

Status Search(const GpuOptions& options, std::vector<std::unique_ptr<GpuDevice>>* devices) {
  const double fraction = options.per_process_gpu_memory_fraction;
  if (!(fraction >= 0 && fraction <= 1)) {
    return InvalidArgument("per_process_gpu_memory_fraction is ", fraction, "; expected 0 to 1");
  }
  RAMET_ASSIGN_OR_RETURN(const std::vector<DriverDevice*> chosen, ChosenDevices(options));
  for (DriverDevice* device : chosen) {
    const int index = static_cast<int>(devices->size());
    RAMET_ASSIGN_OR_RETURN(auto made,
                           GpuDevice::Make(index, *device, fraction == 0 ? 1 : fraction));
    const DriverDeviceInfo& info = device->info();
    LogDebug("/device:GPU:", index, " is ", info.name, " (", info.driver, " ", info.driver_version,
             "), ", info.memory_bytes >> 20, " MiB");
    devices->push_back(std::move(made));
  }
  return OkStatus();
}

// Runs may still be unfinished when the process ends. Drivers whose threads run kernels, as for
// processors, must not be destroyed below them.
void FinishAtExit(const std::vector<std::unique_ptr<GpuDevice>>& devices) {
  static auto* const all = new std::vector<GpuDevice*>;
  static const pid_t process = getpid();
  if (all->empty()) {
    std::atexit([] {
      if (getpid() != process) return;
      for (GpuDevice* device : *all) {
        const Status finished = device->Synchronize();
        if (!finished.ok()) LogError(finished.message());
      }
    });
  }
  for (const auto& device : devices) all->push_back(device.get());
}

StatusOr<int> Discover(const GpuOptions& options) {
  Found& found = Found::Global();
  MutexLock lock(found.mutex);
  if (!found.searched) {
    found.devices.clear();
    found.options = options;
    found.status = Search(options, &found.devices);
    found.searched = found.status.ok();
    if (found.searched) FinishAtExit(found.devices);
  } else if (!found.devices.empty() && !(options == found.options)) {
    LogOnce(LogLevel::kWarning, "GPU options",
            "a session has other GPUOptions than the first one with a GPU; those of the first "
            "session hold for the process");
  }
  RAMET_RETURN_IF_ERROR(found.status);
  return static_cast<int>(found.devices.size());
}

std::unique_ptr<Device> TakeDevice(int index) {
  Found& found = Found::Global();
  MutexLock lock(found.mutex);
  const auto i = static_cast<size_t>(index);
  return i < found.devices.size() ? std::move(found.devices[i]) : nullptr;
}

[[maybe_unused]] const bool gpu_registered = [] {
  DeviceRegistry::Global().Register("GPU", 0, &TakeDevice);
  RegisterDeviceDiscovery("GPU", &Discover);
  return true;
}();

}  // namespace
}  // namespace ramet::gpu
