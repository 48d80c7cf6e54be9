#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "ramet/base/mutex.h"
#include "ramet/device/memory_sharer.h"
#include "ramet/replica/shm/layout.h"
#include "ramet/replica/transport.h"

namespace ramet::shm {

// DeviceBlocks are blocks of device memory with copies of a publisher's newest versions. Followers
// on the same device in other processes map them. A block has the values of one version on one
// device, and is used again after the version was retired and released, as buffers of the
// SharedPool are. Thread-safe.
class DeviceBlocks {
 public:
  // A block. Immutable, except that it is in use or not.
  struct Block {
    uint32_t number = 0;  // counts from 1; never used again
    std::string key;      // MemorySharer::sharing_key of its device
    std::shared_ptr<SharedBlock> memory;
    std::atomic<bool> in_use = false;
  };

  // Keeps blocks for the versions that are retained and two more, and at most kMaxVersions.
  static constexpr size_t kMaxVersions = 8;
  explicit DeviceBlocks(int retained);

  // Returns places for copies of the values that are on a device with one of these keys. The values
  // are in the order of the signature; those that are not on a device are empty. Returns null
  // without a value to copy, memory or a free block. Without keys, frees unused blocks.
  std::shared_ptr<DeviceCopies> Reserve(std::span<const Tensor> values,
                                        const std::set<std::string>& keys);
  std::vector<std::shared_ptr<const Block>> Blocks() const;
  // Enters the places of copies that Reserve returned, or of none.
  static void FillEntries(const DeviceCopies* copies, std::span<Entry> entries);

 private:
  struct Placed;
  // Returns a free block of at least `bytes` bytes, which it marks as in use, or null.
  std::shared_ptr<Block> Take(const MemorySharer& sharer, size_t bytes) RAMET_REQUIRES(mutex_);

  const size_t max_versions_;
  mutable Mutex mutex_;
  uint32_t last_number_ RAMET_GUARDED_BY(mutex_) = 0;
  std::vector<std::shared_ptr<Block>> blocks_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet::shm
