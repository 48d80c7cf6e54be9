#include "ramet/backends/gpu/device_libraries.h"

#include <bit>
#include <limits>
#include <vector>

#include "ramet/backends/gpu/gpu_device.h"
#include "ramet/backends/gpu/memory/caching_allocator.h"

namespace ramet::gpu {

StatusOr<bool> DeviceLibraries::Multiply(const StackedProduct& product, const Tensor& x,
                                         const Tensor& y, Tensor& z, const Tensor* bias) {
  ProductLibrary* const library = products();
  if (library == nullptr) return false;
  RAMET_ASSIGN_OR_RETURN(const std::optional<size_t> bytes, library->WorkspaceFor(product));
  if (!bytes) return false;
  std::vector<DriverMemory*> blocks = {&GpuBuffer::BlockOf(x), &GpuBuffer::BlockOf(y)};
  if (bias != nullptr) blocks.push_back(&GpuBuffer::BlockOf(*bias));
  blocks.push_back(&GpuBuffer::BlockOf(z));
  Tensor workspace;
  if (*bytes > 0) {
    // Products share blocks if the sizes are equal.
    const Shape size = {static_cast<int64_t>(std::bit_ceil(*bytes))};
    auto allocated = Tensor::Allocate(kUInt8, size, device_.allocator());
    if (IsResourceExhausted(allocated.status())) return false;
    RAMET_ASSIGN_OR_RETURN(workspace, std::move(allocated));
    blocks.push_back(&GpuBuffer::BlockOf(workspace));
  }
  RAMET_RETURN_IF_ERROR(device_.Checked(
      device_.queue().Call(*library, ProductLibrary::ParametersOf(product), blocks)));
  return true;
}

bool DeviceLibraries::Supports(const StackedProduct& product) {
  ProductLibrary* const library = products();
  if (library == nullptr) return false;
  const auto bytes = library->WorkspaceFor(product);
  return bytes.ok() && bytes->has_value();
}

bool DeviceLibraries::AddsBias() {
  ProductLibrary* const library = products();
  return library != nullptr && library->adds_bias();
}

std::optional<size_t> DeviceLibraries::WorkspaceFor(const LibraryConvolution& c, size_t max_bytes) {
  ConvolutionLibrary* const library = convolutions();
  if (library == nullptr) return std::nullopt;
  return library->WorkspaceFor(c, max_bytes);
}

std::optional<double> DeviceLibraries::SecondsOf(const LibraryConvolution& c) {
  ConvolutionLibrary* const library = convolutions();
  if (library == nullptr) return std::numeric_limits<double>::infinity();
  return library->SecondsOf(c);
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
