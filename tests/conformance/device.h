#pragma once

#include <cstdlib>
#include <string>

#include "ramet/runtime/session.h"

namespace ramet::conformance {

// Returns the device whose kernels are compared: RAMET_CONFORMANCE_DEVICE, such as
// "/device:SIM:0", or "" for the default.
inline std::string TestedDevice() {
  const char* device = std::getenv("RAMET_CONFORMANCE_DEVICE");
  return device == nullptr ? "" : device;
}

// Runs ops without a kernel for the device on the CPU. RAMET_CONFORMANCE_LOG logs where each op
// runs.
inline SessionOptions TestedOptions() {
  return {.allow_soft_placement = !TestedDevice().empty(),
          .log_device_placement = std::getenv("RAMET_CONFORMANCE_LOG") != nullptr};
}

}  // namespace ramet::conformance
