#pragma once

#include <gtest/gtest.h>

#include "ramet/backends/gpu/driver/driver_choice.h"
#include "ramet/backends/gpu/testing/test_driver.h"

namespace ramet::gpu {

// Returns the device of tests: the first GPU of the driver that RAMET_TEST_GPU names, or a
// processor as an OpenCL device (PoCL), or null if none is installed. PoCL runs a compiler in the
// process, which the sanitizers do not know.
inline DriverDevice* TestDriverDevice() {
#ifdef RAMET_SANITIZE
  return nullptr;
#endif
  static const auto* const devices = [] {
    const auto choice = ParseDriverChoice(TestDriverName());
    return new StatusOr<std::vector<DriverDevice*>>(OpenDriver(choice.value()));
  }();
  return devices->ok() && !(*devices)->empty() ? (**devices)[0] : nullptr;
}

// Skips a test if there is no such device.
#define RAMET_NEEDS_TEST_DEVICE()                                                 \
  if (::ramet::gpu::TestDriverDevice() == nullptr) {                              \
    GTEST_SKIP() << "skipped: no OpenCL driver for processors (pocl-opencl-icd)"; \
  }

// Skips a test that needs a processor behind OpenCL.
#define RAMET_NEEDS_OPENCL_CPU()                                    \
  RAMET_NEEDS_TEST_DEVICE();                                        \
  if (!::ramet::gpu::TestDriverDevice()->info().is_cpu) {           \
    GTEST_SKIP() << "skipped: the device of the tests is not PoCL"; \
  }

}  // namespace ramet::gpu
