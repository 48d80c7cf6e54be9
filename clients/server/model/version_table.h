#pragma once

#include <ramet/ramet.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/loaded_version.h"
#include "model/model_manager.h"
#include "model/version_scan.h"

namespace server {

// A VersionTable holds the states of a model's versions and decides what to load and unload next.
// Not thread-safe.
class VersionTable {
 public:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    VersionState state = VersionState::kStart;
    ramet::Status status = {};  // of the last load
    std::string path = {};
    bool wanted = true;
    int failures = 0;
    Clock::time_point next_attempt = {};
    uint64_t files = 0;  // FilesState::digest when it failed
    std::shared_ptr<LoadedVersion> version = {};
  };
  using Entries = std::map<int64_t, Entry, std::greater<>>;  // newest number first

  // Sets the versions that are to be served. A version that has ended starts again if it was not
  // wanted in the meantime.
  void SetWanted(const std::vector<FoundVersion>& wanted);
  // Lets a version that failed start again if its files have changed since.
  void RestartChanged();
  // Returns the highest version to load at `now`, or null.
  Entries::value_type* NextToLoad(Clock::time_point now);
  // Returns when NextToLoad has to be asked again.
  std::optional<Clock::time_point> NextAttempt() const;
  // Returns the lowest version that is not wanted, or null. The last version stays until one that
  // is wanted is available, unless none is wanted.
  Entries::value_type* NextToUnload();
  // Notes that the memory of a version has been freed.
  void NoteFreed(int64_t number);

  bool IsAvailable(int64_t number) const;
  Entry* Find(int64_t number);
  const Entries& entries() const { return entries_; }
  // Newest number first.
  std::vector<VersionStatus> Statuses() const;

 private:
  void ForgetOldest();

  Entries entries_;
};

}  // namespace server
