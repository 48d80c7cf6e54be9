#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "ramet/replica/transport.h"

namespace ramet {

// What a session follows: the values of one version as they are used, the hold on what was
// published, and where it came from.
struct HeldValues final : FollowedValues {
  ~HeldValues() override {
    values.clear();
    held.reset();
  }
  std::shared_ptr<FollowerTransport> transport;
  std::unique_ptr<HeldVersion> held;
};

// Asks the publisher what hashes the version has, and compares the content's with that of what was
// taken. \error kDataLoss if they differ; as FollowerTransport::Hashes.
StatusOr<VersionHashes> Prove(const HeldValues& values,
                              FollowerTransport::Clock::time_point deadline);

// A Prover proves versions on a thread of its own: of those that it is offered the newest, if it is
// in use still, and not more often than takes a hundredth of the time.
class Prover {
 public:
  // `before` is what was used before `values`, if the proof began at once. Called on the prover's
  // thread.
  using Judge = std::function<void(const std::shared_ptr<HeldValues>& values,
                                   const std::shared_ptr<HeldValues>& before,
                                   const StatusOr<VersionHashes>& hashes)>;
  explicit Prover(Judge judge) : judge_(std::move(judge)) {}
  // What is asked of a publisher must have been interrupted.
  ~Prover();
  void Offer(const std::shared_ptr<HeldValues>& values, std::shared_ptr<HeldValues> before);

 private:
  using Clock = std::chrono::steady_clock;
  void Work();

  const Judge judge_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::weak_ptr<HeldValues> offered_;
  std::shared_ptr<HeldValues> before_;
  bool has_offer_ = false;
  bool stopping_ = false;
  Clock::time_point due_ = Clock::time_point::min();
  std::thread thread_;
};

}  // namespace ramet
