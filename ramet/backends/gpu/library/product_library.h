#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
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
  bool has_bias = false;                      // a vector of n elements is added to each row of z

  auto operator<=>(const StackedProduct&) const = default;
};

// The blocks of memory of a product.
struct ProductBlocks {
  const DriverMemory& x;
  const DriverMemory& y;
  const DriverMemory* bias;  // null if the product has none
  DriverMemory& z;
  DriverMemory* workspace;  // may be null if it has no bytes
};

// A ProductLibrary multiplies matrices on queues of one device. Thread-safe.
class ProductLibrary : public LibraryCall {
 public:
  // Returns how many bytes of workspace a product needs. Returns nothing if the library does not
  // support the product; the caller then runs a kernel of its own.
  // \error kResourceExhausted, kInternal: the library failed.
  virtual StatusOr<std::optional<size_t>> WorkspaceFor(const StackedProduct& product) = 0;
  // Reports whether some products with a bias are supported.
  virtual bool adds_bias() const = 0;
  // Enqueues a product that is supported.
  // \error kResourceExhausted, kInternal: the library failed.
  virtual Status Multiply(DriverQueue& queue, const StackedProduct& product,
                          const ProductBlocks& blocks) = 0;

  // Returns the parameters with which Enqueue multiplies the blocks x, y, that of the bias if the
  // product has one, and z. The block of the workspace comes last, if there are any bytes.
  static std::array<int64_t, 10> ParametersOf(const StackedProduct& product);
  size_t NumOnlyRead(std::span<const int64_t> parameters) const final;
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
