#include "ramet/backends/gpu/library/product_library.h"

#include "ramet/backends/gpu/driver/cuda/cuda_driver.h"

namespace ramet::gpu {
namespace {

// Returns the product with these parameters (ProductLibrary::ParametersOf).
StackedProduct ProductOf(std::span<const int64_t> parameters) {
  return {.dtype = static_cast<DType>(parameters[0]),
          .m = parameters[1],
          .n = parameters[2],
          .k = parameters[3],
          .transpose_x = parameters[4] != 0,
          .transpose_y = parameters[5] != 0,
          .stacks = parameters[6],
          .repeats_x = parameters[7] != 0,
          .repeats_y = parameters[8] != 0,
          .has_bias = parameters[9] != 0};
}

}  // namespace

std::array<int64_t, 10> ProductLibrary::ParametersOf(const StackedProduct& p) {
  return {static_cast<int64_t>(p.dtype),
          p.m,
          p.n,
          p.k,
          p.transpose_x,
          p.transpose_y,
          p.stacks,
          p.repeats_x,
          p.repeats_y,
          p.has_bias};
}

size_t ProductLibrary::NumOnlyRead(std::span<const int64_t> parameters) const {
  return ProductOf(parameters).has_bias ? 3 : 2;
}

Status ProductLibrary::Enqueue(DriverQueue& queue, std::span<const int64_t> parameters,
                               std::span<DriverMemory* const> blocks) {
  const StackedProduct product = ProductOf(parameters);
  const size_t z = NumOnlyRead(parameters);
  return Multiply(queue, product,
                  {.x = *blocks[0],
                   .y = *blocks[1],
                   .bias = product.has_bias ? blocks[2] : nullptr,
                   .z = *blocks[z],
                   .workspace = blocks.size() > z + 1 ? blocks[z + 1] : nullptr});
}

std::unique_ptr<ProductLibrary> OpenProductLibrary(DriverDevice& device, DriverQueue& queue) {
  if (device.info().language == Language::kCudaCpp) {
    return OpenCublasLt(device, queue, cuda::Libraries::Default().products);
  }
  return device.info().is_cpu ? nullptr : OpenClblast(device);
}

}  // namespace ramet::gpu
