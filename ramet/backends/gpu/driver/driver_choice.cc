#include "ramet/backends/gpu/driver/driver_choice.h"

#include <algorithm>

#include "ramet/backends/gpu/driver/cuda/cuda_driver.h"
#include "ramet/backends/gpu/driver/opencl/opencl_driver.h"
#include "ramet/base/folder.h"
#include "ramet/base/log.h"
#include "ramet/base/strings.h"

namespace ramet::gpu {

StatusOr<DriverChoice> ParseDriverChoice(std::string_view text) {
  if (text.empty()) return DriverChoice::kAutomatic;
  if (text == "off") return DriverChoice::kOff;
  if (text == "cuda") return DriverChoice::kCuda;
  if (text == "opencl") return DriverChoice::kOpenCl;
  if (text == "opencl:cpu") return DriverChoice::kOpenClCpu;
  return InvalidArgument("RAMET_GPU is '", text,
                         "'; expected off, cuda, opencl or opencl:cpu, or no value");
}

bool HasNvidiaDeviceFile() {
  // The files of NVIDIA's driver and of Windows' subsystem.
  return FileExists("/dev/nvidiactl") || FileExists("/dev/dxg");
}

bool HasGpuDeviceFile() {
  // AMD's compute driver and the kernel's graphics drivers have files of their own.
  if (HasNvidiaDeviceFile() || FileExists("/dev/kfd")) return true;
  const auto nodes = Glob("/dev/dri/renderD*");
  return nodes.ok() && !nodes->empty();
}

namespace {

StatusOr<std::vector<DriverDevice*>> OpenAutomatically() {
  if (!HasGpuDeviceFile()) return std::vector<DriverDevice*>();
  if (HasNvidiaDeviceFile()) {
    auto devices = cuda::OpenDevices();
    if (devices.ok()) return devices;
    LogWarning("CUDA is not used, so OpenCL is tried: ", devices.status().message(),
               "; RAMET_GPU=opencl or RAMET_GPU=off avoids this message");
  }
  auto devices = opencl::OpenDevices(opencl::DeviceKind::kGpu);
  if (devices.ok()) return devices;
  LogDebug("no GPU is used: ", devices.status().message());
  return std::vector<DriverDevice*>();
}

}  // namespace

StatusOr<std::vector<DriverDevice*>> OpenDriver(DriverChoice choice) {
  switch (choice) {
    case DriverChoice::kOff: return std::vector<DriverDevice*>();
    case DriverChoice::kAutomatic: return OpenAutomatically();
    case DriverChoice::kOpenCl: return opencl::OpenDevices(opencl::DeviceKind::kGpu);
    case DriverChoice::kOpenClCpu: return opencl::OpenDevices(opencl::DeviceKind::kCpu);
    case DriverChoice::kCuda: break;
  }
  return cuda::OpenDevices();
}

std::vector<int> VisibleDevices(std::string_view list, int count) {
  std::vector<int> visible;
  if (list.empty()) return visible;
  for (std::string_view item : StrSplit(list, ',')) {
    int64_t index = -1;
    if (!ParseInt64(item, &index) || index < 0 || index >= count) break;
    if (std::ranges::find(visible, index) != visible.end()) break;
    visible.push_back(static_cast<int>(index));
  }
  return visible;
}

}  // namespace ramet::gpu
