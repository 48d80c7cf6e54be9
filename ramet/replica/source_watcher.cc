#include "ramet/replica/source_watcher.h"

#include <algorithm>

#include "ramet/base/exception.h"
#include "ramet/replica/start_thread.h"
#include "ramet/replica/transports.h"

namespace ramet {
namespace {

using Clock = FollowerTransport::Clock;

constexpr std::chrono::seconds kHandshakeTimeout{10};
constexpr std::chrono::milliseconds kMaxNewsWait{500};
constexpr std::chrono::milliseconds kMaxRetryWait{100};

}  // namespace

SourceWatcher::~SourceWatcher() {
  if (thread_.joinable()) thread_.join();
}

Status SourceWatcher::Start() {
  return StartThread(&thread_, [this] { Watch(); });
}

void SourceWatcher::Watch() {
  uint64_t seen = 0;
  while (true) {
    bool goes_on = true;
    const Status watched = Guarded([&] {
      goes_on = WatchOnce(&seen);
      return OkStatus();
    });
    if (!goes_on) return;
    if (watched.ok()) continue;
    Guarded([&] {
      state_.Refuse(watched);
      return OkStatus();
    }).IgnoreError();
    Pause(nullptr);
  }
}

// Returns false when the follower is being destroyed.
bool SourceWatcher::WatchOnce(uint64_t* seen) {
  if (state_.stopping()) return false;
  const auto [source, refused, on_fallback] = state_.connections();
  const bool is_there = !source->transport->ended();
  // The last version may have arrived together with the end of the publisher.
  if (!is_there && options_.automatic) (void)updater_.AdoptNewest(false);
  if ((!is_there || on_fallback) && !refused && TryAddress()) {
    *seen = 0;
    return true;
  }
  if (!is_there) {
    Pause(refused);
    return true;
  }
  source->transport->Wait(seen, Clock::now() + (on_fallback ? kMaxRetryWait : kMaxNewsWait));
  if (options_.automatic) (void)updater_.AdoptNewest(false);
  return true;
}

// Waits until it is worth trying to connect again.
void SourceWatcher::Pause(const FollowerState::Transport& refused) {
  if (refused) {
    uint64_t seen = 0;
    refused->Wait(&seen, Clock::now());
    return refused->Wait(&seen, Clock::now() + kMaxNewsWait);
  }
  state_.WaitForStop(pause_);
  pause_ = std::min(pause_ * 2, kMaxRetryWait);
}

// Tries once to connect to a publisher at the address. Returns true if it is followed now.
bool SourceWatcher::TryAddress() {
  auto connected = ConnectFollowerTransport(address_, Clock::now() + kHandshakeTimeout);
  if (!connected.ok()) {
    const Status& why = connected.status();
    if (!IsNotFound(why) && !IsUnavailable(why) && !IsDeadlineExceeded(why)) state_.Refuse(why);
    return false;
  }
  const FollowerState::Transport transport = *std::move(connected);
  const auto source = MakeSource(transport, state_.source()->model, address_.label, options_);
  if (!source.ok()) {
    if (state_.SetRefused(transport)) state_.Refuse(source.status());
    return false;
  }
  if (!updater_.SwitchTo(*source)) return false;
  pause_ = kFirstPause;
  if (options_.automatic) (void)updater_.AdoptNewest(false);
  return true;
}

}  // namespace ramet
