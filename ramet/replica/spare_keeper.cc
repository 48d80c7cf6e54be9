#include "ramet/replica/spare_keeper.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "ramet/replica/low_priority.h"
#include "ramet/replica/start_thread.h"

namespace ramet {
namespace {

// How long it is waited for followers to leave the version before, which frees its buffers; at
// first awake, since they mostly do so sooner than a thread that sleeps wakes.
constexpr std::chrono::microseconds kFollowersLeave{1000}, kAwake{150}, kBetweenLooks{100};
// Where updates of rows come before anything is ready for them, that often in a row, preparing is
// tried only now and then.
constexpr int kMostInVain = 8, kNowAndThen = 32;

}  // namespace

void SpareKeeper::Wake() {
  const auto is_behind = [](const PublishedVariable& v) { return v.state->spare_is_behind(); };
  const auto was_ready = [](const PublishedVariable& v) { return v.state->spare_was_ready(); };
  if (std::ranges::none_of(variables_, is_behind)) return;
  in_vain_ = std::ranges::any_of(variables_, was_ready) ? 0 : in_vain_ + 1;
  if (in_vain_ > kMostInVain && in_vain_ % kNowAndThen != 0) return;
  // The version is published: without memory or a thread its rows are prepared by the next update.
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
    transport_.LetGo();
    bool done = true;
    for (const PublishedVariable& variable : variables_) {
      if (variable.state->spare_is_behind()) done &= variable.state->PrepareSpare();
    }
    const auto passed = std::chrono::steady_clock::now() - begin;
    if (done || passed > kFollowersLeave) return;
    if (passed < kAwake) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(kBetweenLooks);
    }
  }
}

}  // namespace ramet
