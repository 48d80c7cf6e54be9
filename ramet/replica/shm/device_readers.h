#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "ramet/base/mutex.h"
#include "ramet/replica/shm/device_blocks.h"
#include "ramet/replica/shm/reader_list.h"

namespace ramet::shm {

// DeviceReaders are the followers that asked for copies in the memory of their device. They get the
// descriptors of the blocks with these copies. Thread-safe.
class DeviceReaders {
 public:
  static constexpr size_t kMaxKeyBytes = 256;
  // `readers` must outlive this object.
  explicit DeviceReaders(ReaderList& readers) : readers_(readers) {}

  // Adds a follower, whose device has this key. A process that has the descriptor of a block can
  // write to it, so only processes of the publisher's own user get blocks. Followers in the
  // publisher's process share its values without blocks (DeviceVersions).
  // \error kPermissionDenied: the follower belongs to another user.
  // \error kFailedPrecondition: the follower is in this process.
  // \error kInvalidArgument: the key is empty or too long.
  Status Add(uint64_t reader, const std::string& key);
  // Returns the keys of the devices of the followers that are still there.
  std::set<std::string> Keys();
  // Sends the followers the blocks of their devices that they do not have. A follower that does not
  // read its packets gets them later.
  void Send(const DeviceBlocks& blocks);

 private:
  struct Wanted {
    std::string key;
    uint32_t last_sent = 0;  // the number of a block
  };
  ReaderList& readers_;
  Mutex mutex_;
  std::map<uint64_t, Wanted> wanted_ RAMET_GUARDED_BY(mutex_);  // by follower
};

}  // namespace ramet::shm
