#pragma once

#include <memory>
#include <optional>

#include "ramet/backends/gpu/library/convolution_library.h"
#include "ramet/backends/gpu/library/product_library.h"
#include "ramet/base/mutex.h"
#include "ramet/tensor/tensor.h"

namespace ramet::gpu {

class GpuDevice;

// A DeviceLibraries holds the libraries of vendors that compute on the queue of a GPU. Each is
// opened when it is first needed. Tensors must be in the memory of the device. Thread-safe.
class DeviceLibraries {
 public:
  explicit DeviceLibraries(GpuDevice& device) : device_(device) {}

  // Starts a product. Returns false, with no side effects, if no library is installed or it does
  // not support the product. `bias` is null if the product has none.
  // \error as ProductLibrary::Multiply, and GpuDevice::Checked.
  StatusOr<bool> Multiply(const StackedProduct& product, const Tensor& x, const Tensor& y,
                          Tensor& z, const Tensor* bias = nullptr);
  // Report whether the library that is installed supports a product, or some with a bias.
  bool Supports(const StackedProduct& product);
  bool AddsBias();
  // Returns how many bytes of workspace, at most `max_bytes`, a convolution needs. Returns nothing
  // if no library is installed or it does not support the convolution.
  std::optional<size_t> WorkspaceFor(const LibraryConvolution& c, size_t max_bytes);
  // Returns the time of a convolution, as ConvolutionLibrary::SecondsOf; infinity without a
  // library.
  std::optional<double> SecondsOf(const LibraryConvolution& c);
  // Starts a convolution, after WorkspaceFor. Returns false if the library cannot run it; `result`
  // is then undefined.
  // \error as ConvolutionLibrary::Enqueue, and GpuDevice::Checked.
  StatusOr<bool> Convolve(const LibraryConvolution& c, const Tensor& a, const Tensor& b,
                          Tensor& result, Tensor& workspace);

 private:
  ProductLibrary* products();
  ConvolutionLibrary* convolutions();

  GpuDevice& device_;
  Mutex mutex_;
  // Null if no library is installed; nothing if it was not needed until now.
  std::optional<std::unique_ptr<ProductLibrary>> products_ RAMET_GUARDED_BY(mutex_);
  std::optional<std::unique_ptr<ConvolutionLibrary>> convolutions_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet::gpu
