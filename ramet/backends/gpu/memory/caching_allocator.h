#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ramet/backends/gpu/driver/driver.h"
#include "ramet/backends/gpu/memory/free_blocks.h"
#include "ramet/base/mutex.h"
#include "ramet/device/device.h"

namespace ramet::gpu {

class CachingAllocator;

// A GpuBuffer is a buffer in the memory of a GPU. data() is an address that no memory can have, so
// that the host faults if it uses it; it only tells buffers apart.
class GpuBuffer : public Buffer {
 public:
  // Returns the block that holds the bytes of a tensor, which must be in the memory of a GPU.
  static DriverMemory& BlockOf(const Tensor& tensor) { return BlockOf(*tensor.buffer().get()); }
  static DriverMemory& BlockOf(const Buffer& buffer) {
    return *static_cast<const GpuBuffer&>(buffer).block_;
  }

 protected:
  GpuBuffer(size_t size, std::unique_ptr<DriverMemory> block, const DeviceMemory* memory,
            bool borrowed = false);
  std::unique_ptr<DriverMemory> TakeBlock() { return std::move(block_); }

 private:
  std::unique_ptr<DriverMemory> block_;
};

// A CachingAllocator allocates the memory of a GPU in blocks and keeps freed ones for later
// buffers. The order in which it uses them is that of FreeBlocks. A freed block may be reused at
// once, also while enqueued work uses it: all work of the device goes through one queue, so that
// later work comes after it. But work of the same run can be done at the same time only if its
// blocks are different, so small blocks are reused late. Thread-safe. Lives as long as the process.
class CachingAllocator final : public Allocator {
 public:
  // `name` is the device's in errors. Blocks in use and kept ones have at most `limit_bytes` bytes.
  // Buffers name `memory` as the memory that they are in. `before_release` is called before kept
  // blocks are returned to the driver; it must not use the allocator.
  CachingAllocator(std::string name, DriverDevice& device, const DeviceMemory* memory,
                   uint64_t limit_bytes, std::function<void()> before_release = nullptr);

  std::string_view name() const override { return name_; }
  // Ends a period: the next allocation may use all blocks that are free then.
  void EndPeriod();
  // \error kResourceExhausted: the limit is reached, or the driver has no memory.
  StatusOr<BufferPtr> Allocate(size_t bytes) override;
  // Allocates memory that other processes can open. It counts as in use until ReleaseShared.
  // \error as for Allocate and DriverDevice::AllocateShared.
  StatusOr<std::unique_ptr<DriverSharedMemory>> AllocateShared(size_t bytes);
  void ReleaseShared(std::unique_ptr<DriverSharedMemory> shared);

  // Sizes in bytes of blocks, which are larger than the buffers in them.
  struct Usage {
    uint64_t in_use = 0;
    uint64_t kept = 0;  // freed and not returned to the driver
    uint64_t peak = 0;  // of in_use
    uint64_t limit = 0;
  };
  Usage usage() const;

 private:
  class Block;
  // The blocks of a size.
  struct SizeClass {
    FreeBlocks free;
    size_t fresh = 0;  // blocks that were allocated, with those that were returned to the driver
  };
  StatusOr<std::unique_ptr<DriverMemory>> TakeBlock(size_t size) RAMET_REQUIRES(mutex_);
  // Reports whether a free block of this size is used rather than a new one.
  bool Reuses(size_t size, SizeClass& blocks) RAMET_REQUIRES(mutex_);
  void NoteInUse(size_t size) RAMET_REQUIRES(mutex_);
  void ReleaseKept() RAMET_REQUIRES(mutex_);
  void Free(std::unique_ptr<DriverMemory> block, size_t size);
  Status OutOfMemory(size_t bytes, const Status& cause) const RAMET_REQUIRES(mutex_);

  const std::string name_;
  DriverDevice& device_;
  const DeviceMemory* const memory_;
  const std::function<void()> before_release_;
  mutable Mutex mutex_;
  Usage usage_ RAMET_GUARDED_BY(mutex_);
  std::map<size_t, SizeClass> sizes_ RAMET_GUARDED_BY(mutex_);
  bool was_full_ RAMET_GUARDED_BY(mutex_) = false;  // then blocks are reused at once
  uint64_t period_ RAMET_GUARDED_BY(mutex_) = 0;
  bool has_ended_ RAMET_GUARDED_BY(mutex_) = false;  // the period, though blocks may be freed in it
};

// Returns the size of the block for a buffer: a multiple of 256, at most an eighth larger than
// needed, so that buffers of similar sizes use each other's blocks.
size_t BlockSize(size_t bytes);

}  // namespace ramet::gpu
