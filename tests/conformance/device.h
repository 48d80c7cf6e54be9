#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

#include "ramet/runtime/session.h"

namespace ramet::conformance {

// Returns the device whose kernels are compared: RAMET_CONFORMANCE_DEVICE, such as
// "/device:SIM:0", or "" for the default.
inline std::string TestedDevice() {
  const char* device = std::getenv("RAMET_CONFORMANCE_DEVICE");
  return device == nullptr ? "" : device;
}

// Reports whether the tested device ignores what causes this error: GPUs do not check the values of
// indices (docs/decisions/0085-one-kernel-for-all-devices.md).
inline bool IgnoresError(std::string_view error) {
  if (!TestedDevice().starts_with("/device:GPU")) return false;
  for (std::string_view cause :
       {"is not in [", "does not index into", "Received a label value", "is out of range [0"}) {
    if (error.find(cause) != error.npos) return true;
  }
  return false;
}

// Runs ops without a kernel for the device on the CPU. RAMET_CONFORMANCE_LOG logs where each op
// runs.
inline SessionOptions TestedOptions() {
  return {.allow_soft_placement = !TestedDevice().empty(),
          .log_device_placement = std::getenv("RAMET_CONFORMANCE_LOG") != nullptr};
}

}  // namespace ramet::conformance
