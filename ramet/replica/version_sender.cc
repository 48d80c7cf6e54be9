#include "ramet/replica/version_sender.h"

#include <utility>

#include "ramet/base/log.h"
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
  for (const DeviceMemory* memory : taken->on_device.memories()) {
    transport_.PrepareForCopies(*memory);
  }
  std::vector<Tensor> on_device = OnDevice(*taken);
  auto copies = CopyOnDevice(*taken, on_device);
  RAMET_RETURN_IF_ERROR(taken->CopyToHost());
  MutexLock lock(mutex_);
  VersionInfo info = taken->info;
  info.id.step = models_.StepOf(*taken);
  const Status prepared = preparer_.Prepare(taken->values);
  StatusOr<uint64_t> version = prepared;
  if (prepared.ok()) {
    ShareOnDevice(*taken, std::move(on_device));
    version = transport_.Publish(info, preparer_.values(), preparer_.sources(), std::move(copies));
  }
  preparer_.Clear();
  if (version.ok()) spares_.Wake();
  return version;
}

std::vector<Tensor> VersionSender::OnDevice(const TakenValues& taken) const {
  if (taken.on_device.empty()) return {};
  const auto& variables = models_.variables();
  std::vector<Tensor> values(models_.signature().size());
  for (const DeviceValues::Value& value : taken.on_device.values()) {
    if (value.index == variables.size()) continue;  // the step
    const PublishedVariable& variable = variables[value.index];
    if (variable.conversion == Conversion::kNone) values[variable.entry] = value.device;
  }
  return values;
}

// Followers in this process may take the version as soon as it is published.
void VersionSender::ShareOnDevice(const TakenValues& taken, std::vector<Tensor> values) const {
  if (values.empty()) return;
  const PublisherStats stats = transport_.stats();
  DeviceVersions::Global().Keep(stats.epoch, stats.version, taken.info.time_nanos,
                                std::move(values));
}

std::shared_ptr<const DeviceCopies> VersionSender::CopyOnDevice(
    const TakenValues& taken, std::span<const Tensor> values) const {
  if (values.empty()) return nullptr;
  std::shared_ptr<DeviceCopies> copies = transport_.ReserveOnDevice(values);
  if (!copies) return nullptr;
  const Status copied = taken.on_device.CopyToShared(values, copies->values);
  if (copied.ok()) return copies;
  LogOnce(LogLevel::kDebug, "copies for followers on a GPU",
          "followers on the same GPU copy values through host memory: ", copied.message());
  return nullptr;
}

StatusOr<uint64_t> VersionSender::Rollback(uint64_t version) {
  MutexLock lock(mutex_);
  return transport_.Rollback(version);
}

}  // namespace ramet
