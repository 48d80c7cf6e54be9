#pragma once

#include <compare>
#include <cstdint>
#include <memory>
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

// A ProductLibrary multiplies matrices on one queue. Thread-safe.
class ProductLibrary {
 public:
  virtual ~ProductLibrary() = default;
  // Enqueues a product. Returns false, with no side effects, if the library does not support it;
  // the caller then runs a kernel of its own.
  // \error kResourceExhausted, kInternal: the library failed.
  virtual StatusOr<bool> Multiply(const StackedProduct& product, const DriverMemory& x,
                                  const DriverMemory& y, DriverMemory& z) = 0;
};

// Opens the library for a queue of a device. Returns null if none is installed, or if the device is
// a processor, on which the kernels of this backend are tested.
std::unique_ptr<ProductLibrary> OpenProductLibrary(DriverDevice& device, DriverQueue& queue);

// Opens the first file that is a cuBLASLt for a queue of the CUDA driver. Returns null if none is.
std::unique_ptr<ProductLibrary> OpenCublasLt(DriverDevice& device, DriverQueue& queue,
                                             const std::vector<std::string>& files);
// Opens CLBlast for a queue of the OpenCL driver. Returns null if it is not installed.
std::unique_ptr<ProductLibrary> OpenClblast(DriverDevice& device, DriverQueue& queue);

}  // namespace ramet::gpu
