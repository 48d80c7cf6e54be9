#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ramet/backends/gpu/driver/cuda/cuda_api.h"
#include "ramet/base/status.h"

namespace ramet::gpu::cuda {
namespace api {

// Pointers to the functions of NVRTC.
struct CompilerFunctions {
#define RAMET_NVRTC_POINTER(name, symbol, parameters) Result(*name) parameters = nullptr;
  RAMET_NVRTC_FUNCTIONS(RAMET_NVRTC_POINTER)
#undef RAMET_NVRTC_POINTER
};

}  // namespace api

// An Nvrtc is NVIDIA's compiler of CUDA C++. Thread-safe.
class Nvrtc {
 public:
  // Opens the first NVRTC of `files` that can be used with a driver of that CUDA version and that
  // compiles for architectures down to `min_arch` (70 for compute capability 7.0). The library
  // stays open.
  // \error kNotFound: none of them can be used; the message has the reasons.
  static StatusOr<std::unique_ptr<const Nvrtc>> Open(const std::vector<std::string>& files,
                                                     int driver_version, int min_arch);
  // Returns the files in which Open should search.
  static std::vector<std::string> DefaultFiles();

  int version() const { return version_; }  // 13000 is 13.0
  // Returns the architectures that Compile supports, in ascending order.
  const std::vector<int>& architectures() const { return architectures_; }
  // Compiles a program to machine code for an architecture, or to PTX for the newest architecture
  // that it knows if `arch` is newer. `options` are separated by spaces.
  // \error kInternal: the program does not compile; the message has the compiler's.
  StatusOr<std::string> Compile(const std::string& source, const std::string& options,
                                int arch) const;

 private:
  static StatusOr<std::unique_ptr<const Nvrtc>> OpenFile(const std::string& file,
                                                         int driver_version, int min_arch);
  std::string LogOf(api::Program* program) const;

  api::CompilerFunctions functions_;
  int version_ = 0;
  std::vector<int> architectures_;
};

}  // namespace ramet::gpu::cuda
