#include "ramet/backends/gpu/driver/driver_choice.h"

#include <algorithm>

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

bool HasGpuDeviceFile() {
  // The files of NVIDIA's driver, of AMD's compute driver, of Windows' subsystem and of the
  // kernel's graphics drivers.
  for (const char* path : {"/dev/nvidiactl", "/dev/kfd", "/dev/dxg"}) {
    if (FileExists(path)) return true;
  }
  const auto nodes = Glob("/dev/dri/renderD*");
  return nodes.ok() && !nodes->empty();
}

namespace {

StatusOr<std::vector<DriverDevice*>> OpenAutomatically() {
  if (!HasGpuDeviceFile()) return std::vector<DriverDevice*>();
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
  return Unimplemented(
      "RAMET_GPU=cuda: this version of Ramet has no CUDA driver; RAMET_GPU=opencl uses NVIDIA's "
      "cards through OpenCL");
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
