#pragma once

#include <cstdlib>
#include <string>

#include "ramet/runtime/session.h"

namespace ramet::conformance {

// The device whose kernels are compared: RAMET_CONFORMANCE_DEVICE ("/device:SIM:0", any name of a
// device), or the one that is usual.
inline std::string TestedDevice() {
  const char* device = std::getenv("RAMET_CONFORMANCE_DEVICE");
  return device == nullptr ? "" : device;
}

// Runs on the CPU what the device has no kernel for.
inline SessionOptions TestedOptions() { return {.allow_soft_placement = !TestedDevice().empty()}; }

}  // namespace ramet::conformance
