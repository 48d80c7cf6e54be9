#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "ramet/base/mutex.h"
#include "ramet/replica/transport.h"

namespace ramet {

// DeviceVersions are the values in device memory of the newest version of each publisher in this
// process, so that followers in the process that have their variables on the same device share
// them. They are kept only while a follower wants them. Thread-safe.
class DeviceVersions {
 public:
  static DeviceVersions& Global();
  // While the returned object exists, the values of the publisher with this epoch are kept.
  class Wanted;
  std::shared_ptr<Wanted> Want(uint64_t epoch);
  // Keeps the values of the version that is published next, in the order of the signature; those
  // that are not in device memory are empty. `last` is the newest version until then. Does nothing
  // if nobody wants them.
  void Keep(uint64_t epoch, uint64_t last, int64_t time_nanos, std::vector<Tensor> values);

 private:
  DeviceVersions() = default;

  Mutex mutex_;
  std::map<uint64_t, std::weak_ptr<Wanted>> wanted_ RAMET_GUARDED_BY(mutex_);
};

// The values of the newest version of one publisher. Thread-safe.
class DeviceVersions::Wanted {
 public:
  void Set(uint64_t last, int64_t time_nanos, std::vector<Tensor> values);
  // Returns the values of a version, or an empty vector if they are not kept.
  std::vector<Tensor> Find(const VersionInfo& version) const;

 private:
  mutable Mutex mutex_;
  uint64_t last_ RAMET_GUARDED_BY(mutex_) = 0;
  int64_t time_nanos_ RAMET_GUARDED_BY(mutex_) = 0;
  std::vector<Tensor> values_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet
