#pragma once

#include <chrono>
#include <thread>

#include "ramet/replica/address.h"
#include "ramet/replica/follower_state.h"
#include "ramet/replica/version_updater.h"

namespace ramet {

// A SourceWatcher is the thread of a follower. It waits for new versions, and it looks for a
// publisher at the follower's address while that has none or the follower uses its fallback.
class SourceWatcher {
 public:
  // The arguments must outlive the watcher.
  SourceWatcher(const ReplicaAddress& address, const FollowerOptions& options, FollowerState& state,
                VersionUpdater& updater)
      : address_(address), options_(options), state_(state), updater_(updater) {}
  SourceWatcher(const SourceWatcher&) = delete;
  SourceWatcher& operator=(const SourceWatcher&) = delete;
  // Waits for the thread, which ends after FollowerState::Stop.
  ~SourceWatcher();
  // \error kUnavailable: the system cannot start a thread.
  Status Start();

 private:
  using Millis = std::chrono::milliseconds;
  static constexpr Millis kFirstPause{10};

  void Watch();
  bool WatchOnce(uint64_t* seen);
  bool TryAddress();
  void Pause(const FollowerState::Transport& refused);

  const ReplicaAddress& address_;
  const FollowerOptions& options_;
  FollowerState& state_;
  VersionUpdater& updater_;
  Millis pause_ = kFirstPause;  // between attempts to connect
  std::thread thread_;
};

}  // namespace ramet
