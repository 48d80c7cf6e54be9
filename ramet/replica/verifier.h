#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "ramet/base/mutex.h"
#include "ramet/replica/device_versions.h"
#include "ramet/replica/transport.h"
#include "ramet/tensor/kept_forms.h"

namespace ramet {

// The values of one version that a session uses, the hold on the published version, and the
// transport it came from.
struct HeldValues final : FollowedValues {
  ~HeldValues() override {
    for (const Tensor& value : values) KeptForms::Global().Forget(value);
    values.clear();
    held.reset();
  }
  std::shared_ptr<FollowerTransport> transport;
  std::unique_ptr<HeldVersion> held;
  // Set if some of the values are in device memory.
  std::shared_ptr<DeviceVersions::Wanted> on_device;
};

// Asks the publisher for the hashes of the version and compares the content hash with that of the
// values taken.
// \error kDataLoss: the hashes differ.
// \error as for FollowerTransport::Hashes.
StatusOr<VersionHashes> VerifyValues(const HeldValues& values,
                                     FollowerTransport::Clock::time_point deadline);

// A Verifier verifies versions on its own thread. It takes the newest version offered, if that is
// still in use, and limits itself to about 1% of the time.
class Verifier {
 public:
  // Receives the result, on the verifier's thread. `before` is the version used before `values`, if
  // the verification started at once.
  using Done = std::function<void(const std::shared_ptr<HeldValues>& values,
                                  const std::shared_ptr<HeldValues>& before,
                                  const StatusOr<VersionHashes>& hashes)>;
  explicit Verifier(Done done) : done_(std::move(done)) {}
  // Pending requests to the publisher must have been interrupted before.
  ~Verifier();
  // Replaces the version to verify next. `before` is the version used before it.
  void Offer(const std::shared_ptr<HeldValues>& values, std::shared_ptr<HeldValues> before);

 private:
  using Clock = std::chrono::steady_clock;
  // The versions of one verification.
  struct Offered {
    std::shared_ptr<HeldValues> values, before;
  };
  void Work();
  // Waits for an offer until it is due. Returns nothing when the thread must end.
  std::optional<Offered> TakeOffer();

  const Done done_;
  Mutex mutex_;
  CondVar changed_;
  std::weak_ptr<HeldValues> offered_ RAMET_GUARDED_BY(mutex_);
  std::shared_ptr<HeldValues> before_ RAMET_GUARDED_BY(mutex_);
  bool has_offer_ RAMET_GUARDED_BY(mutex_) = false;
  bool stopping_ RAMET_GUARDED_BY(mutex_) = false;
  Clock::time_point due_ RAMET_GUARDED_BY(mutex_) = Clock::time_point::min();
  std::thread thread_;
};

}  // namespace ramet
