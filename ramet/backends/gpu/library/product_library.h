#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ramet/backends/gpu/driver/driver.h"
#include "ramet/tensor/dtype.h"

// Libraries of vendors that multiply matrices: cuBLASLt and CLBlast. They are opened at run time.
namespace ramet::gpu {

// A StackedProduct describes z = op(x) op(y) for stacks of dense row-major matrices: op(x) is m x k
// and op(y) is k x n.
struct StackedProduct {
  DType dtype;  // of x, y and z
  int64_t m, n, k;
  bool transpose_x = false, transpose_y = false;
  int64_t stacks = 1;
  bool repeats_x = false, repeats_y = false;  // all stacks use the same matrix

  auto operator<=>(const StackedProduct&) const = default;
};

// A ProductLibrary multiplies matrices on queues of one device. Thread-safe.
class ProductLibrary : public LibraryCall {
 public:
  // Reports whether the library supports a product. If not, the caller runs a kernel of its own.
  // \error kResourceExhausted, kInternal: the library failed.
  virtual StatusOr<bool> Supports(const StackedProduct& product) = 0;
  // Enqueues a product that is supported.
  // \error kResourceExhausted, kInternal: the library failed.
  virtual Status Multiply(DriverQueue& queue, const StackedProduct& product, const DriverMemory& x,
                          const DriverMemory& y, DriverMemory& z) = 0;

  // Returns the parameters with which Enqueue multiplies the blocks x, y and z.
  static std::array<int64_t, 9> ParametersOf(const StackedProduct& product);
  Status Enqueue(DriverQueue& queue, std::span<const int64_t> parameters,
                 std::span<DriverMemory* const> blocks) final;
};

// Opens the library for a queue of a device. Returns null if none is installed, or if the device is
// a processor, on which the kernels of this backend are tested.
std::unique_ptr<ProductLibrary> OpenProductLibrary(DriverDevice& device, DriverQueue& queue);

// Opens the first file that is a cuBLASLt for a queue of the CUDA driver. Returns null if none is.
std::unique_ptr<ProductLibrary> OpenCublasLt(DriverDevice& device, DriverQueue& queue,
                                             const std::vector<std::string>& files);
// Opens CLBlast for a device of the OpenCL driver. Returns null if it is not installed.
std::unique_ptr<ProductLibrary> OpenClblast(DriverDevice& device);

}  // namespace ramet::gpu
