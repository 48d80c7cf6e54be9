#include "ramet/backends/gpu/library/product_library.h"

#include "ramet/backends/gpu/driver/cuda/cuda_driver.h"

namespace ramet::gpu {

std::unique_ptr<ProductLibrary> OpenProductLibrary(DriverDevice& device, DriverQueue& queue) {
  if (device.info().language == Language::kCudaCpp) {
    return OpenCublasLt(device, queue, cuda::Libraries::Default().products);
  }
  return device.info().is_cpu ? nullptr : OpenClblast(device, queue);
}

}  // namespace ramet::gpu
