#pragma once

#include <string>
#include <vector>

#include "ramet/backends/gpu/driver/driver.h"

namespace ramet::gpu::cuda {

// Libraries names the files of CUDA. For tests, the environment variable RAMET_CUDA_LIBRARY names a
// double that replaces all of them.
struct Libraries {
  std::string driver;
  std::vector<std::string> compilers;          // NVRTC, in the order of preference
  std::vector<std::string> products = {};      // cuBLASLt, in the order of preference
  std::vector<std::string> convolutions = {};  // cuDNN, in the order of preference

  static Libraries Default();
};

// Returns the GPUs in the order of CUDA, which CUDA_VISIBLE_DEVICES limits. They live as long as
// the process. Returns none if that variable hides all.
// \error kNotFound: the driver, NVRTC or a GPU is missing.
// \error kFailedPrecondition: the driver is too old or cannot start.
StatusOr<std::vector<DriverDevice*>> OpenDevices(const Libraries& libraries = Libraries::Default());

}  // namespace ramet::gpu::cuda
