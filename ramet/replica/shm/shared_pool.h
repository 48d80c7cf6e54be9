#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <vector>

#include "ramet/base/mutex.h"
#include "ramet/replica/shm/memory_file.h"
#include "ramet/replica/shm/segment_registrations.h"
#include "ramet/tensor/buffer.h"

namespace ramet::shm {

// A location in a publisher's shared memory.
struct PoolPosition {
  uint32_t segment = 0;
  uint64_t offset = 0;
};

// A SharedPool is an allocator for buffers in memory that other processes map. The memory consists
// of segments that are reserved, touched and sealed before use. They are never moved, and not
// released before the pool is destroyed. Freed buffers go to a free list by size. The pool stays
// alive as long as one of its buffers. Thread-safe.
class SharedPool final : public Allocator, public std::enable_shared_from_this<SharedPool> {
 public:
  // Creates a pool of at most `limit` bytes, in segments of at least `segment` bytes.
  static std::shared_ptr<SharedPool> Create(std::string name, uint64_t limit, uint64_t segment = 0);
  ~SharedPool() override;

  std::string_view name() const override { return "shared"; }
  // \error kResourceExhausted: the limit is reached, or the memory cannot be reserved.
  StatusOr<BufferPtr> Allocate(size_t bytes) override;
  // Makes a segment with `bytes` free bytes (a sum of RoundedBytes).
  // \error as for Allocate.
  Status Reserve(uint64_t bytes);
  // Returns the space that a buffer of `bytes` bytes takes in a segment.
  static uint64_t RoundedBytes(size_t bytes);

  // Returns true and sets `*position` if `buffer` belongs to this pool.
  bool Find(const Buffer* buffer, PoolPosition* position) const;
  struct Segment {
    int fd = -1;
    uint64_t bytes = 0;
  };
  // Returns the segments in the order of their creation, which is also the order of their numbers.
  std::vector<Segment> Segments() const;
  // Registers the segments with the driver of a device that copies to them.
  void RegisterWith(const DeviceMemory& memory);
  size_t num_segments() const { return num_segments_.load(std::memory_order_acquire); }
  uint64_t bytes_in_segments() const;
  uint64_t limit() const { return limit_; }

 private:
  class Block;
  SharedPool(std::string name, uint64_t limit, uint64_t segment);
  StatusOr<Block*> Cut(uint64_t rounded) RAMET_REQUIRES(mutex_);
  Status AddSegment(uint64_t bytes) RAMET_REQUIRES(mutex_);
  void Return(Block* block) RAMET_EXCLUDES(mutex_);

  const std::string name_;
  const uint64_t limit_;
  const uint64_t segment_;
  mutable Mutex mutex_;
  std::vector<std::shared_ptr<MemoryFile>> segments_ RAMET_GUARDED_BY(mutex_);
  std::atomic<size_t> num_segments_ = 0;
  struct Bytes {
    uint64_t used = 0;   // of the last segment
    uint64_t total = 0;  // of all segments
  };
  Bytes bytes_ RAMET_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Block>> blocks_ RAMET_GUARDED_BY(mutex_);
  // Blocks of one size. `free` has capacity for all of them, so that freeing one never allocates.
  struct Blocks {
    std::vector<Block*> free;
    size_t count = 0;
  };
  std::map<uint64_t, Blocks> by_size_ RAMET_GUARDED_BY(mutex_);
  SegmentRegistrations registrations_;
};

}  // namespace ramet::shm
