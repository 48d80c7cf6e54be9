#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "ramet/base/mutex.h"
#include "ramet/replica/shm/memory_file.h"
#include "ramet/replica/shm/segment_registrations.h"
#include "ramet/replica/shm/version_table.h"
#include "ramet/replica/signature.h"
#include "ramet/tensor/tensor.h"

namespace ramet::shm {

// The segments of a publisher's pool, as mapped by a follower. Thread-safe.
class SegmentMap {
 public:
  // Adds a segment. Segments must be added in order.
  // \error kInvalidArgument: `number` is not the next one, or there are too many segments.
  // \error as for MemoryFile::Open.
  Status Add(uint64_t number, uint64_t bytes, FileDescriptor fd);
  size_t size() const;
  // Waits until there is a segment of that number. Returns false if it does not come by `deadline`
  // or before Close.
  bool WaitFor(uint64_t number, std::chrono::steady_clock::time_point deadline) const;
  // Registers the segments with the driver of a device that copies from them.
  void RegisterWith(const DeviceMemory& memory);
  // Call this when there will be no more segments.
  void Close();

  // Returns the value at `entry`. It refers to the mapped memory, which the publisher does not
  // change while the version is pinned; a caller that keeps the value longer must copy it
  // (Buffer::borrowed). Integers and booleans are copied, so that a number that was checked is the
  // number that is used.
  // \error kDataLoss: the entry is outside of the segments.
  StatusOr<Tensor> ValueAt(const Entry& entry, const VariableSpec& spec) const;

 private:
  static constexpr size_t kMaxSegments = 1 << 16;
  mutable Mutex mutex_;
  mutable CondVar changed_;
  bool closed_ RAMET_GUARDED_BY(mutex_) = false;
  std::vector<std::shared_ptr<MemoryFile>> segments_ RAMET_GUARDED_BY(mutex_);
  SegmentRegistrations registrations_;
};

}  // namespace ramet::shm
