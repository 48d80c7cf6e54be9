#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "ramet/base/mutex.h"
#include "ramet/device/device.h"

namespace ramet {

// The memory of a simulated accelerator: one region that is mapped twice. Buffers point into a
// mapping without access, so that any access by the host faults. The device's own code uses the
// other mapping. Thread-safe.
class SimulatedMemory final : public Allocator, public DeviceMemory {
 public:
  // A region of `bytes` bytes. Its address space (twice the size) is reserved at the first
  // allocation, so that processes that do not use the device do not pay for it. Pages are allocated
  // when touched.
  explicit SimulatedMemory(size_t bytes) : bytes_(bytes) {}
  ~SimulatedMemory() override;

  std::string_view name() const override { return "simulated accelerator"; }
  // Allocates device memory.
  // \error kResourceExhausted: the region is full, or the process may not have that much address
  //   space (RLIMIT_AS). In the latter case the next call tries again.
  StatusOr<BufferPtr> Allocate(size_t bytes) override;
  // Allocates the view of device memory, for outputs of kernels.
  StatusOr<BufferPtr> AllocateView(size_t bytes);
  Tensor View(const Tensor& device_tensor) const override;
  Tensor Unview(const Tensor& view) const override;

  // Called by a buffer without owners.
  void Free(size_t offset, size_t bytes);

 private:
  // Reserves the region before the first buffer is allocated; later calls do nothing.
  Status Reserve() RAMET_REQUIRES(mutex_);

  char* guarded_ = nullptr;
  char* open_ = nullptr;
  const size_t bytes_;
  Mutex mutex_;
  size_t used_ RAMET_GUARDED_BY(mutex_) = 0;
  std::map<size_t, std::vector<size_t>> free_ RAMET_GUARDED_BY(mutex_);  // offsets by block size
};

}  // namespace ramet
