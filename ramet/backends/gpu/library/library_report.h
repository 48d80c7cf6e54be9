#pragma once

#include <string>
#include <vector>

#include "ramet/backends/gpu/driver/driver.h"

namespace ramet::gpu {

// A LibraryReport says which library of a vendor computes something on a device.
struct LibraryReport {
  std::string use = {};      // "convolutions"
  std::string name = {};     // "cuDNN"
  std::string file = {};     // "/usr/lib/x86_64-linux-gnu/libcudnn.so.9"; "" if it is not installed
  std::string version = {};  // "9.19.0"; "" if the library does not say
  std::string missing = {};  // where it was searched for and what to do, if it is not installed
};

// Returns the libraries that a device can use, in the order of their uses. Opens those that are
// installed. Processors use none.
std::vector<LibraryReport> ReportLibraries(const DriverDevice& device);

}  // namespace ramet::gpu
