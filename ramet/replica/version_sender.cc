#include "ramet/replica/version_sender.h"

namespace ramet {

VersionSender::VersionSender(PublishedModels& models, PublisherTransport& transport)
    : models_(models),
      transport_(transport),
      preparer_(models.variables(), models.signature(), transport),
      spares_(models.variables(), transport) {}

StatusOr<uint64_t> VersionSender::Send(const TakenValues& taken) {
  MutexLock lock(mutex_);
  VersionInfo info = taken.info;
  RAMET_ASSIGN_OR_RETURN(info.id.step, models_.StepOf(taken));
  const Status prepared = preparer_.Prepare(taken.values);
  StatusOr<uint64_t> version = prepared;
  if (prepared.ok()) {
    version = transport_.Publish(info, preparer_.values(), preparer_.sources());
  }
  preparer_.Clear();
  if (version.ok()) spares_.Wake();
  return version;
}

StatusOr<uint64_t> VersionSender::Rollback(uint64_t version) {
  MutexLock lock(mutex_);
  return transport_.Rollback(version);
}

}  // namespace ramet
