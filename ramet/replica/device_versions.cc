#include "ramet/replica/device_versions.h"

#include <utility>

namespace ramet {

DeviceVersions& DeviceVersions::Global() {
  static auto* const versions = new DeviceVersions();
  return *versions;
}

std::shared_ptr<DeviceVersions::Wanted> DeviceVersions::Want(uint64_t epoch) {
  MutexLock lock(mutex_);
  if (const auto found = wanted_.find(epoch); found != wanted_.end()) {
    if (auto wanted = found->second.lock()) return wanted;
  }
  std::erase_if(wanted_, [](const auto& entry) { return entry.second.expired(); });
  auto wanted = std::make_shared<Wanted>();
  wanted_[epoch] = wanted;
  return wanted;
}

void DeviceVersions::Keep(uint64_t epoch, uint64_t last, int64_t time_nanos,
                          std::vector<Tensor> values) {
  std::shared_ptr<Wanted> wanted;
  {
    MutexLock lock(mutex_);
    const auto found = wanted_.find(epoch);
    if (found != wanted_.end()) wanted = found->second.lock();
  }
  if (wanted) wanted->Set(last, time_nanos, std::move(values));
}

void DeviceVersions::Wanted::Set(uint64_t last, int64_t time_nanos, std::vector<Tensor> values) {
  MutexLock lock(mutex_);
  last_ = last;
  time_nanos_ = time_nanos;
  values_.swap(values);
}

// A version's number is not known before it is published, because a follower may roll back at the
// same time. The time of publication tells it from the version that a rollback makes.
std::vector<Tensor> DeviceVersions::Wanted::Find(const VersionInfo& version) const {
  MutexLock lock(mutex_);
  const bool is_kept =
      version.id.version > last_ && version.time_nanos == time_nanos_ && version.rollback_to == 0;
  return is_kept ? values_ : std::vector<Tensor>();
}

}  // namespace ramet
