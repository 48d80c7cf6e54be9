#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "ramet/base/file.h"
#include "ramet/base/mutex.h"
#include "ramet/device/memory_sharer.h"
#include "ramet/replica/shm/layout.h"
#include "ramet/replica/shm/requests.h"
#include "ramet/replica/signature.h"

namespace ramet::shm {

// A DeviceBlockMap holds the blocks of device memory that a publisher sent to a follower
// (DeviceBlocks). They are opened when a value in them is used. Thread-safe.
class DeviceBlockMap {
 public:
  // Adds a block.
  // \error kInvalidArgument: the number is 0 or is known, or there are too many blocks.
  Status Add(const DeviceNotice& notice, FileDescriptor fd);
  // Call this when there will be no more blocks.
  void Close();
  // Returns the value at `entry`, which keeps `hold`, or an empty tensor if the block is of another
  // device, cannot be opened, does not come in time, or is too small.
  Tensor ValueAt(const Entry& entry, const VariableSpec& spec, const MemorySharer& sharer,
                 const std::shared_ptr<const void>& hold);
  // Reports whether this is the first call with this key.
  bool IsNew(const std::string& key);

 private:
  static constexpr size_t kMaxBlocks = 256;
  // A block's notice is on the way when a version that uses it appears.
  static constexpr std::chrono::milliseconds kTimeout{100};
  struct Block {
    std::string key;
    uint64_t bytes = 0;
    FileDescriptor fd;  // until the block is opened
    std::shared_ptr<SharedBlock> opened;
  };
  // Returns the block of that number, or null.
  Block* WaitFor(uint32_t number) RAMET_REQUIRES(mutex_);
  std::shared_ptr<SharedBlock> Opened(uint32_t number, const MemorySharer& sharer)
      RAMET_EXCLUDES(mutex_);

  Mutex mutex_;
  CondVar changed_;
  bool closed_ RAMET_GUARDED_BY(mutex_) = false;
  std::map<uint64_t, Block> blocks_ RAMET_GUARDED_BY(mutex_);
  std::set<uint32_t> missing_ RAMET_GUARDED_BY(mutex_);  // they did not come in time
  std::set<std::string> keys_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet::shm
