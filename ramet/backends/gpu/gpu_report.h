#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/base/status.h"

namespace ramet {

// A GpuLibrary is a library of a vendor that computes something on a GPU, if it is installed.
struct GpuLibrary {
  std::string use;      // "convolutions"
  std::string name;     // "cuDNN"
  std::string file;     // "" if it is not installed; Ramet's own kernels are then used
  std::string version;  // "9.19.0"; "" if it is not known
  std::string missing;  // where it was searched for and what to do, if it is not installed
};

// A GpuDescription describes a GPU as its driver reports it.
struct GpuDescription {
  std::string device;          // "/device:GPU:0"
  std::string name;            // "NVIDIA H100 80GB HBM3"
  std::string vendor;          // "NVIDIA Corporation"
  std::string driver;          // "OpenCL"
  std::string driver_version;  // "OpenCL 3.0 CUDA 535.54"
  uint64_t memory_bytes = 0;
  int compute_units = 0;
  bool is_cpu = false;  // a processor behind OpenCL
  bool has_double = false;
  std::vector<GpuLibrary> libraries;
};

// A GpuReport lists the GPUs that a session can use.
struct GpuReport {
  std::vector<GpuDescription> gpus;
  // The reason and what to do, if `gpus` is empty; otherwise "".
  std::string missing;
};

// Returns the GPUs that a session with default options has in this process. Opens the driver that
// RAMET_GPU asks for, and the libraries.
// \error kInvalidArgument: RAMET_GPU has an unknown value.
// \error kNotFound, kUnimplemented: RAMET_GPU asks for a driver that is missing; the message says
//   where it was searched for and which package provides it.
RAMET_EXPORT StatusOr<GpuReport> ReportGpus();

// A GpuCacheReport describes the folder that keeps compiled GPU kernels.
struct GpuCacheReport {
  std::string folder;  // "" if nothing is kept
  int64_t entries = 0;
  uint64_t bytes = 0;
  uint64_t limit_bytes = 0;
};

// Returns the state of the folder of this user.
// \error kPermissionDenied, ...: the folder cannot be read.
RAMET_EXPORT StatusOr<GpuCacheReport> ReportGpuCache();

// Removes the compiled kernels of this user and returns the entries and bytes that were removed.
// Processes that use the folder meanwhile compile again what they miss.
// \error kPermissionDenied, ...: the folder cannot be read, or a file cannot be removed.
RAMET_EXPORT StatusOr<GpuCacheReport> ClearGpuCache();

}  // namespace ramet
