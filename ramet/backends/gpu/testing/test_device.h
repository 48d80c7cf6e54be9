#pragma once

#include <gtest/gtest.h>

#include "ramet/backends/gpu/driver/driver_choice.h"

namespace ramet::gpu {

// Returns a processor as an OpenCL device (PoCL), or null if none is installed. PoCL runs a
// compiler in the process, which the sanitizers do not know.
inline DriverDevice* TestDriverDevice() {
#ifdef RAMET_SANITIZE
  return nullptr;
#endif
  static const auto* const devices =
      new StatusOr<std::vector<DriverDevice*>>(OpenDriver(DriverChoice::kOpenClCpu));
  return devices->ok() ? (**devices)[0] : nullptr;
}

// Skips a test if there is no such device.
#define RAMET_NEEDS_OPENCL_CPU()                                                  \
  if (::ramet::gpu::TestDriverDevice() == nullptr) {                              \
    GTEST_SKIP() << "skipped: no OpenCL driver for processors (pocl-opencl-icd)"; \
  }

}  // namespace ramet::gpu
