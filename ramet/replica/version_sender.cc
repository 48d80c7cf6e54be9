#include "ramet/replica/version_sender.h"

#include <utility>

#include "ramet/replica/device_versions.h"

namespace ramet {

VersionSender::VersionSender(PublishedModels& models, PublisherTransport& transport)
    : models_(models),
      transport_(transport),
      preparer_(models.variables(), models.signature(), transport),
      spares_(models.variables(), transport) {}

Status VersionSender::Reserve(TakenValues* taken) {
  MutexLock lock(mutex_);
  for (size_t i = 0; i <= taken->values.size(); ++i) {
    const bool is_step = i == taken->values.size();
    const Tensor& value = is_step ? taken->step : taken->values[i];
    if (value.host_accessible()) continue;
    RAMET_ASSIGN_OR_RETURN(Tensor host, is_step ? Tensor::Allocate(value.dtype(), value.shape())
                                                : preparer_.AllocateHost(i));
    taken->on_device.Add({.device = value, .host = std::move(host), .index = i});
  }
  return OkStatus();
}

StatusOr<uint64_t> VersionSender::Send(TakenValues* taken) {
  RAMET_RETURN_IF_ERROR(taken->CopyToHost());
  MutexLock lock(mutex_);
  VersionInfo info = taken->info;
  info.id.step = models_.StepOf(*taken);
  const Status prepared = preparer_.Prepare(taken->values);
  StatusOr<uint64_t> version = prepared;
  if (prepared.ok()) {
    ShareOnDevice(*taken);
    version = transport_.Publish(info, preparer_.values(), preparer_.sources());
  }
  preparer_.Clear();
  if (version.ok()) spares_.Wake();
  return version;
}

// Followers in this process may take the version as soon as it is published.
void VersionSender::ShareOnDevice(const TakenValues& taken) const {
  if (taken.on_device.empty()) return;
  const auto& variables = models_.variables();
  std::vector<Tensor> values(models_.signature().size());
  for (const DeviceValues::Value& value : taken.on_device.values()) {
    if (value.index == variables.size()) continue;  // the step
    const PublishedVariable& variable = variables[value.index];
    if (variable.conversion == Conversion::kNone) values[variable.entry] = value.device;
  }
  const PublisherStats stats = transport_.stats();
  DeviceVersions::Global().Keep(stats.epoch, stats.version, taken.info.time_nanos,
                                std::move(values));
}

StatusOr<uint64_t> VersionSender::Rollback(uint64_t version) {
  MutexLock lock(mutex_);
  return transport_.Rollback(version);
}

}  // namespace ramet
