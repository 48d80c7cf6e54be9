#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "ramet/base/mutex.h"
#include "ramet/replica/follower_state.h"
#include "ramet/replica/verifier.h"

namespace ramet {

// A VersionUpdater makes published versions current in a FollowerState. It verifies them as the
// options say, and goes back to an earlier version if the current one turns out to be damaged.
// Thread-safe.
class VersionUpdater {
 public:
  // `options` and `state` must outlive the updater. Before the updater is destroyed, the state must
  // be stopped.
  VersionUpdater(std::string text, const FollowerOptions& options, FollowerState& state);

  // Makes the newest version current, unless a version is pinned. With `verify`, verifies it.
  // \error kDataLoss: the version differs from what was published.
  // \error as for FollowerTransport::Take.
  Status AdoptNewest(bool verify) RAMET_EXCLUDES(mutex_);
  // Like AdoptNewest. Returns the current version.
  StatusOr<VersionInfo> Update(bool verify) RAMET_EXCLUDES(mutex_);
  // Makes a kept version current and stays with it.
  // \error kNotFound: the version is not kept.
  Status Pin(uint64_t version) RAMET_EXCLUDES(mutex_);
  // Switches to a new source. Returns false, without effect, if the state is stopped.
  bool SwitchTo(const FollowerState::Source& source) RAMET_EXCLUDES(mutex_);

 private:
  using Clock = FollowerTransport::Clock;
  using Values = FollowerState::Values;

  Status AdoptNewestLocked(bool verify) RAMET_REQUIRES(mutex_);
  Status Adopt(uint64_t version, bool verify) RAMET_REQUIRES(mutex_);
  StatusOr<Values> Take(const FollowerSource& source, uint64_t version, bool verify)
      RAMET_REQUIRES(mutex_);
  void Retake() RAMET_REQUIRES(mutex_);
  Status VerifyCurrent() RAMET_REQUIRES(mutex_);
  void NoteResult(const Values& values, const Values& before, const StatusOr<VersionHashes>& hashes)
      RAMET_EXCLUDES(mutex_);
  void GoBackFrom(const Values& values, const Values& before, const Status& why)
      RAMET_REQUIRES(mutex_);
  void NoteFailed(const VersionId& id, const Status& why) RAMET_REQUIRES(mutex_);

  const std::string text_;
  const FollowerOptions& options_;
  FollowerState& state_;
  Mutex mutex_;  // held while the current version is changed
  // Versions that failed verification, by epoch and version number.
  std::map<std::pair<uint64_t, uint64_t>, Status> failed_ RAMET_GUARDED_BY(mutex_);
  Verifier verifier_;
};

}  // namespace ramet
