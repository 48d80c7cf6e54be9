#include "ramet/replica/background_sender.h"

#include <utility>

#include "ramet/base/exception.h"
#include "ramet/base/strings.h"

namespace ramet {

BackgroundJob& BackgroundSender::MadeJob() {
  MutexLock lock(mutex_);
  if (!job_) job_ = std::make_unique<BackgroundJob>(at_limit_);
  return *job_;
}

void BackgroundSender::WaitUntilDone() {
  BackgroundJob* job;
  {
    MutexLock lock(mutex_);
    job = job_.get();
  }
  if (job != nullptr) job->WaitUntilDone();
}

// The taken values do not change, so the next run does not have to wait until they are copied.
StatusOr<uint64_t> BackgroundSender::Send(std::shared_ptr<TakenValues> taken) {
  RAMET_RETURN_IF_ERROR(models_.Mark(taken.get()));
  BackgroundJob& job = MadeJob();
  // A job whose version can be seen is about to end, so this version is not skipped.
  if (transport_.stats().version >= last_) job.WaitUntilDone();
  RAMET_RETURN_IF_ERROR(job.WaitForRoom());
  RAMET_RETURN_IF_ERROR(TakeStatus());  // of the version that it waited for
  RAMET_RETURN_IF_ERROR(sender_.Reserve(taken.get()));
  const uint64_t version = last_ = transport_.stats().version + 1;
  job.Post([this, taken, version] {
    const Status sent = Guarded([&] { return sender_.Send(taken.get()).status(); });
    if (sent.ok()) return;
    status_.Note(sent.WithContext(
        StrCat("version ", version, ", which an earlier Publish returned, was not published")));
  });
  return version;
}

Status BackgroundSender::TakeStatus() {
  const Status status = status_.Take();
  if (!status.ok()) WaitUntilDone();  // the job is about to end
  return status;
}

Status BackgroundSender::Finish() {
  WaitUntilDone();
  return TakeStatus();
}

void BackgroundSender::WaitFor(uint64_t version) {
  if (version > transport_.stats().version) WaitUntilDone();
}

}  // namespace ramet
