#include "ramet/base/exception.h"
#include "ramet/replica/follower_impl.h"
#include "ramet/replica/transports.h"

namespace ramet {

void Follower::Impl::Watch() {
  uint64_t seen = 0;
  while (true) {
    bool goes_on = true;
    const Status looked = Guarded([&] {
      goes_on = LookOnce(&seen);
      return OkStatus();
    });
    if (!goes_on) return;
    if (looked.ok()) continue;
    Guarded([&] {
      Refuse(looked);
      return OkStatus();
    }).IgnoreError();
    Pause(nullptr);
  }
}

// False: the follower ends.
bool Follower::Impl::LookOnce(uint64_t* seen) {
  Source source;
  std::shared_ptr<FollowerTransport> refused;
  bool on_fallback;
  {
    std::lock_guard lock(mutex_);
    if (stopping_) return false;
    if (refused_ && refused_->ended()) refused_.reset();
    source = source_;
    refused = refused_;
    on_fallback = on_fallback_;
  }
  const bool is_there = !source->transport->ended();
  // The last version may have come together with the publisher's end.
  if (!is_there && options_.automatic) (void)AdoptNewest(false);
  if ((!is_there || on_fallback) && !refused && TryAddress()) {
    *seen = 0;
    return true;
  }
  if (!is_there) {
    Pause(refused);
    return true;
  }
  source->transport->Wait(seen, Clock::now() + (on_fallback ? kLongestPause : kLongestWait));
  if (options_.automatic) (void)AdoptNewest(false);
  return true;
}

// Until it is worth while to try again.
void Follower::Impl::Pause(const std::shared_ptr<FollowerTransport>& refused) {
  if (refused) {
    uint64_t seen = 0;
    refused->Wait(&seen, Clock::now());
    return refused->Wait(&seen, Clock::now() + kLongestWait);
  }
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, pause_, [this] { return stopping_; });
  pause_ = std::min(pause_ * 2, kLongestPause);
}

// Tries once to find a publisher at the address. Whether it is followed now.
bool Follower::Impl::TryAddress() {
  auto connected = ConnectFollowerTransport(address_, Clock::now() + kHandshake);
  if (!connected.ok()) {
    const Status& why = connected.status();
    if (!IsNotFound(why) && !IsUnavailable(why) && !IsDeadlineExceeded(why)) Refuse(why);
    return false;
  }
  const std::shared_ptr<FollowerTransport> transport = *std::move(connected);
  const auto source = MakeSource(transport, this->source()->model, address_.label, options_);
  {
    std::lock_guard update_lock(update_mutex_);
    {
      std::lock_guard lock(mutex_);
      if (stopping_) return false;
      if (source.ok()) {
        source_ = *source;
        on_fallback_ = false;
        pause_ = kFirstPause;
      } else {
        refused_ = transport;
      }
    }
    if (source.ok()) Retake();
  }
  if (!source.ok()) {
    Refuse(source.status());
  } else if (options_.automatic) {
    (void)AdoptNewest(false);
  }
  return source.ok();
}

}  // namespace ramet
