#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "ramet/replica/shm/memory_file.h"
#include "ramet/tensor/buffer.h"

namespace ramet::shm {

// Where in the shared memory of a publisher some bytes lie.
struct Place {
  uint32_t segment = 0;
  uint64_t offset = 0;
};

// A SharedPool is an allocator whose buffers lie in memory that other processes map: segments that
// are reserved, touched and sealed before use, never moved, never given back before the pool's end.
// Buffers go back to a free list by size. The pool lives as long as one of its buffers.
// Thread-safe.
class SharedPool final : public Allocator, public std::enable_shared_from_this<SharedPool> {
 public:
  // At most `limit` bytes in segments of `segment` bytes or more.
  static std::shared_ptr<SharedPool> Create(std::string name, uint64_t limit, uint64_t segment = 0);
  ~SharedPool() override;

  std::string_view name() const override { return "shared"; }
  // \error kResourceExhausted if the limit is reached or the memory is not to be had.
  StatusOr<BufferPtr> Allocate(size_t bytes) override;
  // Makes a segment in which `bytes` bytes (sum of RoundedBytes) are free. \error as Allocate.
  Status Reserve(uint64_t bytes);
  // What a buffer of `bytes` bytes takes of a segment.
  static uint64_t RoundedBytes(size_t bytes);

  // Whether `buffer` is one of this pool, and where it lies.
  bool Find(const Buffer* buffer, Place* place) const;
  struct Segment {
    int fd = -1;
    uint64_t bytes = 0;
  };
  // Segments are numbered from 0 in the order in which they were made.
  std::vector<Segment> Segments() const;
  size_t num_segments() const { return num_segments_.load(std::memory_order_acquire); }
  uint64_t bytes_in_segments() const;
  uint64_t limit() const { return limit_; }

 private:
  class Block;
  SharedPool(std::string name, uint64_t limit, uint64_t segment);
  StatusOr<Block*> Cut(uint64_t rounded);
  Status AddSegment(uint64_t bytes);
  void Return(Block* block);

  const std::string name_;
  const uint64_t limit_;
  const uint64_t segment_;
  mutable std::mutex mutex_;
  std::vector<MemoryFile> segments_;
  std::atomic<size_t> num_segments_ = 0;
  uint64_t used_ = 0;  // of the last segment
  uint64_t total_ = 0;
  std::vector<std::unique_ptr<Block>> blocks_;
  // Blocks of one size. Those that are free have room in the list: giving back allocates nothing.
  struct Blocks {
    std::vector<Block*> free;
    size_t count = 0;
  };
  std::map<uint64_t, Blocks> by_size_;
};

}  // namespace ramet::shm
