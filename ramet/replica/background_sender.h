#pragma once

#include <cstdint>
#include <memory>

#include "ramet/base/mutex.h"
#include "ramet/replica/background_job.h"
#include "ramet/replica/deferred_status.h"
#include "ramet/replica/version_sender.h"

namespace ramet {

// A BackgroundSender publishes versions with values in device memory. They are copied on a thread
// of its own, one version at a time, while the trainer goes on. Thread-safe, except Send.
class BackgroundSender {
 public:
  // The arguments must outlive the sender.
  BackgroundSender(const PublishedModels& models, VersionSender& sender,
                   const PublisherTransport& transport, RetentionOptions::AtLimit at_limit)
      : models_(models), sender_(sender), transport_(transport), at_limit_(at_limit) {}

  // Starts to send a version and returns its number. It can be seen once its values have arrived.
  // \error as for DeviceValues::Mark, BackgroundJob::WaitForRoom and VersionSender::Reserve.
  // \error as for TakeStatus.
  StatusOr<uint64_t> Send(std::shared_ptr<TakenValues> taken);
  // Returns the error of an earlier version, once.
  // \error as for VersionSender::Send.
  Status TakeStatus();
  // Waits until all versions are sent, or have failed. Returns TakeStatus().
  Status Finish();
  // Waits until a version that Send returned is published, or has failed.
  void WaitFor(uint64_t version);

 private:
  BackgroundJob& MadeJob();
  void WaitUntilDone();

  const PublishedModels& models_;
  VersionSender& sender_;
  const PublisherTransport& transport_;
  const RetentionOptions::AtLimit at_limit_;
  uint64_t last_ = 0;  // the number that Send returned last
  DeferredStatus status_;
  Mutex mutex_;
  std::unique_ptr<BackgroundJob> job_ RAMET_GUARDED_BY(mutex_);  // made by the first Send
};

}  // namespace ramet
