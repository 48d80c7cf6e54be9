#pragma once

#include <cstdlib>

namespace ramet::gpu {

// Returns the driver of tests, as RAMET_GPU names it: that of RAMET_TEST_GPU, or a processor behind
// OpenCL, so that they run on machines without a GPU.
inline const char* TestDriverName() {
  const char* const name = std::getenv("RAMET_TEST_GPU");
  return name != nullptr ? name : "opencl:cpu";
}

// Makes the sessions of this process use that driver. Call it before the first session is created.
inline void UseTestDriver() { setenv("RAMET_GPU", TestDriverName(), 1); }

}  // namespace ramet::gpu
