#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "ramet/replica/shm/memory_file.h"
#include "ramet/replica/shm/version_table.h"
#include "ramet/replica/signature.h"
#include "ramet/tensor/tensor.h"

namespace ramet::shm {

// The segments of a publisher's pool as a follower has mapped them. Thread-safe.
class SegmentMap {
 public:
  // Segments come in order. \error kInvalidArgument if `number` is not the next one, or there are
  // too many; as MemoryFile::Open.
  Status Add(uint64_t number, uint64_t bytes, FileDescriptor fd);
  size_t size() const;

  // The value at `entry`. It shows the mapped memory, which the publisher leaves alone while the
  // version is pinned: whoever keeps it longer copies it (Buffer::borrowed). Integers and truth
  // values are copied, so that a number that was checked is the number that is used.
  // \error kDataLoss if the entry lies outside of the segments.
  StatusOr<Tensor> ValueAt(const Entry& entry, const VariableSpec& spec) const;

 private:
  static constexpr size_t kMost = 1 << 16;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<const MemoryFile>> segments_;
};

}  // namespace ramet::shm
