#include "ramet/backends/gpu/device_libraries.h"

#include "ramet/backends/gpu/gpu_device.h"
#include "ramet/backends/gpu/memory/caching_allocator.h"

namespace ramet::gpu {

StatusOr<bool> DeviceLibraries::Multiply(const StackedProduct& product, const Tensor& x,
                                         const Tensor& y, Tensor& z) {
  ProductLibrary* const library = products();
  if (library == nullptr) return false;
  RAMET_ASSIGN_OR_RETURN(const bool is_supported, library->Supports(product));
  if (!is_supported) return false;
  DriverMemory* const blocks[] = {&GpuBuffer::BlockOf(x), &GpuBuffer::BlockOf(y),
                                  &GpuBuffer::BlockOf(z)};
  RAMET_RETURN_IF_ERROR(device_.Checked(
      device_.queue().Call(*library, ProductLibrary::ParametersOf(product), blocks)));
  return true;
}

std::optional<size_t> DeviceLibraries::WorkspaceFor(const LibraryConvolution& c, size_t max_bytes) {
  ConvolutionLibrary* const library = convolutions();
  if (library == nullptr) return std::nullopt;
  return library->WorkspaceFor(c, max_bytes);
}

StatusOr<bool> DeviceLibraries::Convolve(const LibraryConvolution& c, const Tensor& a,
                                         const Tensor& b, Tensor& result, Tensor& workspace) {
  ConvolutionLibrary* const library = convolutions();
  if (library == nullptr) return false;
  DriverMemory* const blocks[] = {&GpuBuffer::BlockOf(a), &GpuBuffer::BlockOf(b),
                                  &GpuBuffer::BlockOf(result), &GpuBuffer::BlockOf(workspace)};
  if (!library->IsChosen(c)) {
    RAMET_RETURN_IF_ERROR(
        device_.Checked(device_.queue().StartHeldOn({blocks[0], blocks[1], blocks[2], blocks[3]})));
    RAMET_ASSIGN_OR_RETURN(const bool is_supported, library->Choose(c, blocks, workspace.bytes()));
    if (!is_supported) return false;
  }
  RAMET_RETURN_IF_ERROR(
      device_.Checked(device_.queue().Call(*library, ParametersOf(c, workspace.bytes()), blocks)));
  return true;
}

ProductLibrary* DeviceLibraries::products() {
  MutexLock lock(mutex_);
  if (!products_.has_value()) {
    products_ = OpenProductLibrary(device_.driver(), device_.queue().driver_queue());
  }
  return products_->get();
}

ConvolutionLibrary* DeviceLibraries::convolutions() {
  products();  // cuDNN uses the cuBLASLt that is open
  MutexLock lock(mutex_);
  if (!convolutions_.has_value()) {
    convolutions_ = OpenConvolutionLibrary(device_.driver(), device_.queue().driver_queue());
  }
  return convolutions_->get();
}

}  // namespace ramet::gpu
