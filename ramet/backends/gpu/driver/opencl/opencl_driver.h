#pragma once

#include <vector>

#include "ramet/backends/gpu/driver/driver.h"

namespace ramet::gpu::opencl {

enum class DeviceKind {
  kGpu,  // and accelerators
  kCpu
};

// Returns the devices of that kind of all platforms, which live as long as the process. Devices
// without a compiler or that are not available are left out.
// \error kNotFound: the ICD loader, a platform or such a device is missing.
StatusOr<std::vector<DriverDevice*>> OpenDevices(DeviceKind kind);

}  // namespace ramet::gpu::opencl
