#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ramet/backends/gpu/driver/driver.h"

namespace ramet::gpu {

// Which driver the environment variable RAMET_GPU asks for.
enum class DriverChoice {
  kAutomatic,  // unset: CUDA or else OpenCL, if the machine has a GPU
  kOff,        // "off": no GPU, even if there is one
  kCuda,       // "cuda"
  kOpenCl,     // "opencl": GPUs and accelerators
  kOpenClCpu   // "opencl:cpu": processors, for tests without a GPU
};

// Parses the value of RAMET_GPU; "" means kAutomatic.
// \error kInvalidArgument: the value is none of those above.
StatusOr<DriverChoice> ParseDriverChoice(std::string_view text);

// Reports whether the kernel of the operating system offers a GPU, by the device files of its
// drivers. Cheap; opens nothing.
bool HasGpuDeviceFile();

// Reports whether NVIDIA's driver offers a GPU. Cheap; opens nothing.
bool HasNvidiaDeviceFile();

// Opens the driver and returns its devices, which live as long as the process. Returns no devices
// for kOff, and for kAutomatic if the machine has no GPU or no driver. kAutomatic uses OpenCL if
// CUDA cannot be used.
// \error kNotFound: a library or such a device is missing. The message says where it was searched
//   for and which package provides it. Not for kAutomatic.
// \error kFailedPrecondition: CUDA's driver is too old or cannot start. Not for kAutomatic.
StatusOr<std::vector<DriverDevice*>> OpenDriver(DriverChoice choice);

// Returns the positions among `count` devices that a list such as "1,0" (CUDA_VISIBLE_DEVICES)
// selects, in the list's order. The list ends before its first invalid element, as CUDA defines it.
// An empty list selects none.
std::vector<int> VisibleDevices(std::string_view list, int count);

}  // namespace ramet::gpu
