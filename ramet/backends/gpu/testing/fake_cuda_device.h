#pragma once

#include <dlfcn.h>

#include <string>

#include "ramet/backends/gpu/driver/cuda/cuda_driver.h"
#include "ramet/backends/gpu/driver/cuda/nvrtc.h"
#include "ramet/backends/gpu/testing/fake_cuda.h"

// Devices of the double of NVIDIA's driver, which the build makes (RAMET_FAKE_CUDA is its path).
namespace ramet::gpu::testing {

// Returns the state of the double that this process opens.
inline FakeCuda& TheFakeCuda() {
  void* const library = dlopen(RAMET_FAKE_CUDA, RTLD_NOW);
  return *reinterpret_cast<FakeCuda* (*)()>(dlsym(library, "ramet_fake_cuda"))();
}

// Reports whether NVRTC itself compiles for FakeCudaDevice.
inline bool HasNvrtc() {
#ifdef RAMET_SANITIZE
  return false;  // the sanitizers do not know it
#endif
  return cuda::Nvrtc::Open(cuda::Nvrtc::DefaultFiles(), TheFakeCuda().driver_version, 90).ok();
}

// Returns a GPU of compute capability 9.0 that cannot run kernels. Its compiler is NVRTC where it
// is installed, and a double otherwise.
inline DriverDevice* FakeCudaDevice() {
  static auto* const device = [] {
    cuda::Libraries libraries = {RAMET_FAKE_CUDA, {RAMET_FAKE_CUDA}};
    if (HasNvrtc()) libraries.compilers = cuda::Nvrtc::DefaultFiles();
    return cuda::OpenDevices(libraries).value().front();
  }();
  return device;
}

}  // namespace ramet::gpu::testing
