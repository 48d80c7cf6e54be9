#pragma once

#include <memory>

#include "ramet/backends/gpu/device_queue.h"
#include "ramet/backends/gpu/memory/caching_allocator.h"
#include "ramet/device/memory_sharer.h"

namespace ramet::gpu {

// A GpuSharedBlock is a block of a GPU's memory that several processes map. Thread-safe.
class GpuSharedBlock final : public SharedBlock,
                             public std::enable_shared_from_this<GpuSharedBlock> {
 public:
  // `allocator` counts the memory if `is_own`, that is if this process allocated it. Copies of
  // values (Tensor::Owned) are made on `queue`, on which the device computes.
  GpuSharedBlock(std::unique_ptr<DriverSharedMemory> shared, bool is_own,
                 CachingAllocator& allocator, DeviceQueue& queue, const DeviceMemory* memory)
      : shared_(std::move(shared)),
        is_own_(is_own),
        allocator_(allocator),
        queue_(queue),
        memory_(memory) {}
  ~GpuSharedBlock() override;

  size_t size() const override { return shared_->size(); }
  int fd() const override { return shared_->fd(); }
  Tensor ValueAt(size_t offset, DType dtype, const Shape& shape,
                 std::shared_ptr<const void> hold) override;

 private:
  class Value;
  std::unique_ptr<DriverSharedMemory> shared_;
  const bool is_own_;
  CachingAllocator& allocator_;
  DeviceQueue& queue_;
  const DeviceMemory* const memory_;
};

}  // namespace ramet::gpu
