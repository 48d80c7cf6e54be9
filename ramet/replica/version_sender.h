#pragma once

#include <cstdint>

#include "ramet/base/mutex.h"
#include "ramet/replica/published_models.h"
#include "ramet/replica/spare_keeper.h"
#include "ramet/replica/value_preparer.h"

namespace ramet {

// A VersionSender passes taken values to a transport, one version at a time. Thread-safe.
class VersionSender {
 public:
  // The arguments must outlive the sender.
  VersionSender(PublishedModels& models, PublisherTransport& transport);

  // Allocates host memory for the values that are in device memory, where Send copies them to.
  // \error as for PublisherTransport::AllocatePublishable.
  Status Reserve(TakenValues* taken);
  // Publishes a version and returns its number. Values in device memory are copied first.
  // \error as for TakenValues::CopyToHost, ValuePreparer::Prepare and PublisherTransport::Publish.
  StatusOr<uint64_t> Send(TakenValues* taken);
  // Does what PublisherTransport::Rollback does.
  StatusOr<uint64_t> Rollback(uint64_t version);

 private:
  void ShareOnDevice(const TakenValues& taken) const;

  const PublishedModels& models_;
  PublisherTransport& transport_;
  Mutex mutex_;
  ValuePreparer preparer_ RAMET_GUARDED_BY(mutex_);
  SpareKeeper spares_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet
