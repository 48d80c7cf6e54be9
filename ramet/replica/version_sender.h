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

  // Publishes a version and returns its number.
  // \error as for ValuePreparer::Prepare and PublisherTransport::Publish.
  StatusOr<uint64_t> Send(const TakenValues& taken);
  // Does what PublisherTransport::Rollback does.
  StatusOr<uint64_t> Rollback(uint64_t version);

 private:
  const PublishedModels& models_;
  PublisherTransport& transport_;
  Mutex mutex_;
  ValuePreparer preparer_ RAMET_GUARDED_BY(mutex_);
  SpareKeeper spares_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet
