#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>

#include "ramet/base/mutex.h"
#include "ramet/device/host_registrar.h"
#include "ramet/replica/shm/memory_file.h"

namespace ramet::shm {

// SegmentRegistrations register the segments of a pool with the drivers of the devices that copy
// from or to them. Registering takes as long as touching the memory does, so it is done once for
// each segment, on the thread that copies. Thread-safe.
class SegmentRegistrations {
 public:
  // Registers the segments that were not tried yet with the driver of this memory. Segments that a
  // driver refuses are not tried again.
  void Register(const DeviceMemory& memory, std::span<const std::shared_ptr<MemoryFile>> segments) {
    const HostRegistrar* const registrar = HostRegistrarOf(memory);
    if (registrar == nullptr) return;
    MutexLock lock(mutex_);
    for (size_t& i = tried_[registrar]; i < segments.size(); ++i) {
      segments[i]->RegisterWith(*registrar);
    }
  }

 private:
  Mutex mutex_;  // guards the registrations of the segments, too
  std::map<const HostRegistrar*, size_t> tried_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet::shm
