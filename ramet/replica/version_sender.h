#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

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
  // Returns the values in device memory that are not converted, in the order of the signature.
  std::vector<Tensor> OnDevice(const TakenValues& taken) const;
  // Keeps the values for followers in this process.
  void ShareOnDevice(const TakenValues& taken, std::vector<Tensor> values) const;
  // Copies the values for followers in other processes. Returns null if there are none, or if the
  // values cannot be copied; then followers use the values in host memory.
  std::shared_ptr<const DeviceCopies> CopyOnDevice(const TakenValues& taken,
                                                   std::span<const Tensor> values) const;

  const PublishedModels& models_;
  PublisherTransport& transport_;
  Mutex mutex_;
  ValuePreparer preparer_ RAMET_GUARDED_BY(mutex_);
  SpareKeeper spares_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet
