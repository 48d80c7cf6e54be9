#include "ramet/replica/spare_keeper.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "ramet/replica/low_priority.h"
#include "ramet/replica/start_thread.h"

namespace ramet {
namespace {

// How long to wait until followers have released the previous version, which frees its buffers. The
// first kSpinTime of it is spent without sleeping, because followers usually release it sooner than
// a sleeping thread would wake up (`ramet_replica_bench wake` and `sparse_training_1gb`).
constexpr std::chrono::microseconds kMaxReleaseWait{1000}, kSpinTime{150}, kPollInterval{100};
// If updates of rows come before their spare buffer is ready, several times in a row,
// only every kRetryVersions-th version is prepared.
constexpr int kMaxMissedVersions = 8, kRetryVersions = 32;

}  // namespace

void SpareKeeper::Wake() {
  const auto is_behind = [](const PublishedVariable& v) { return v.state->spare_is_behind(); };
  const auto was_ready = [](const PublishedVariable& v) { return v.state->spare_was_ready(); };
  if (std::ranges::none_of(variables_, is_behind)) return;
  missed_ = std::ranges::any_of(variables_, was_ready) ? 0 : missed_ + 1;
  if (missed_ > kMaxMissedVersions && missed_ % kRetryVersions != 0) return;
  // The version is published already. If there is no memory or thread, the next update prepares the
  // rows.
  Guarded([this] {
    if (!job_) job_ = std::make_unique<BackgroundJob>(RetentionOptions::AtLimit::kSkip);
    job_->Post([this] { Prepare(); });
    return OkStatus();
  }).IgnoreError();
}

void SpareKeeper::Prepare() {
  WakeGently();
  const auto begin = std::chrono::steady_clock::now();
  while (true) {
    transport_.Release();
    bool done = true;
    for (const PublishedVariable& variable : variables_) {
      if (variable.state->spare_is_behind()) done &= variable.state->PrepareSpare();
    }
    const auto passed = std::chrono::steady_clock::now() - begin;
    if (done || passed > kMaxReleaseWait) return;
    if (passed < kSpinTime) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(kPollInterval);
    }
  }
}

}  // namespace ramet
