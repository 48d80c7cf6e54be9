#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ramet/base/mutex.h"
#include "ramet/replica/follower_source.h"
#include "ramet/replica/verifier.h"

namespace ramet {

// A FollowerState holds what a follower follows, which version it uses, and its statistics. Threads
// can wait for changes. Thread-safe.
class FollowerState {
 public:
  using Clock = FollowerTransport::Clock;
  using Millis = std::chrono::milliseconds;
  using Source = std::shared_ptr<const FollowerSource>;
  using Values = std::shared_ptr<HeldValues>;
  using Transport = std::shared_ptr<FollowerTransport>;

  // `text` is the address for use in messages.
  explicit FollowerState(std::string text) : text_(std::move(text)) {}

  // Sets the first source and makes its model follow. Call this once, before all other functions.
  void Begin(Source source, bool on_fallback);
  // Ends all waits, and interrupts the connections.
  void Stop();
  bool stopping() const;

  // The connections of a follower at one moment.
  struct Connections {
    Source source = {};
    Transport refused = {};  // to a publisher that does not fit; null if there is none
    bool on_fallback = false;
  };
  Source source() const;
  // Returns the connections. A refused one that has ended is dropped.
  Connections connections();
  // Replaces the source by one for the main address. Returns false, without effect, after Stop.
  bool SetSource(const Source& source);
  // Keeps a connection to a publisher that does not fit, for as long as that publisher is there.
  // Returns false, without effect, after Stop.
  bool SetRefused(Transport refused);

  // Makes `values` current. Their model replaces the previous one if it is different. Only one
  // thread at a time may call this.
  void Use(const Source& source, Values values, const VersionInfo& info);
  // Records that `values` have these hashes.
  void NoteVerified(HeldValues& values, const VersionHashes& hashes);
  // Counts and logs a version or a publisher that cannot be used.
  void Refuse(const Status& why);
  void SetPinned(std::optional<uint64_t> version);
  bool pinned() const;

  // Returns the session, the values and the version in use.
  Session& session() const;
  Values values() const;
  VersionInfo current() const;
  FollowerStats stats() const;

  // Waits until the current version is not `current`, at most until `deadline`. Returns early after
  // Stop.
  void WaitForVersion(const VersionId& current, Clock::time_point deadline);
  // Waits for Stop, for at most `time`.
  void WaitForStop(Millis time);

 private:
  struct Current {
    Values values;
    VersionInfo info;
    Clock::time_point since;
    double age_then = 0;  // in seconds
  };
  struct Counts {
    uint64_t swaps = 0, reloads = 0, verified = 0, refused = 0;
    std::string last_refusal;
  };

  const std::string text_;
  mutable Mutex mutex_;
  CondVar changed_;
  Connections connections_ RAMET_GUARDED_BY(mutex_);
  // The last model has the current version.
  std::vector<std::shared_ptr<FollowedModel>> models_ RAMET_GUARDED_BY(mutex_);
  Current current_ RAMET_GUARDED_BY(mutex_);
  Counts counts_ RAMET_GUARDED_BY(mutex_);
  std::optional<uint64_t> pinned_ RAMET_GUARDED_BY(mutex_);
  bool stopping_ RAMET_GUARDED_BY(mutex_) = false;
};

}  // namespace ramet
