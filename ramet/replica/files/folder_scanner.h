#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "ramet/base/mutex.h"
#include "ramet/replica/files/folder_state.h"
#include "ramet/replica/files/version_reader.h"

namespace ramet::files {

// Identifies a folder regardless of its contents.
struct FolderIdentity {
  uint64_t device = 0, inode = 0;
  bool operator==(const FolderIdentity&) const = default;
};

// Returns the identity of a folder, or zeros if there is none at that path.
FolderIdentity IdentityOf(const std::string& dir);

// How long a checkpoint may be unreadable before it counts as damaged.
inline constexpr std::chrono::milliseconds kSettleTime(1000);

// A FolderScanner looks for changes in a folder of checkpoints and records them in a FolderState,
// which only it writes. Thread-safe.
class FolderScanner {
 public:
  // Describes the versions to follow.
  struct Wanted {
    FolderIdentity folder;
    uint64_t epoch = 0;
    ReplicaSignature signature;
    std::vector<VariablePart> parts;
  };
  // kUnsettled: a checkpoint may be half-written; scan again soon.
  enum class Result { kSettled, kUnsettled };

  // `state` must outlive the scanner.
  FolderScanner(CheckpointFolder folder, Wanted wanted, FolderState& state)
      : folder_(std::move(folder)), wanted_(std::move(wanted)), state_(state) {}

  // Looks for a new version and for new labels. Supersedes the state if the folder does not hold
  // the wanted versions anymore.
  Result Scan() RAMET_EXCLUDES(mutex_);
  // Looks for new labels only.
  void ScanLabels() RAMET_EXCLUDES(mutex_);

 private:
  Result ScanNewest() RAMET_REQUIRES(mutex_);
  void ScanLabelsLocked() RAMET_REQUIRES(mutex_);
  Result Adopt(FoundVersion found, const FolderState::Newest& newest) RAMET_REQUIRES(mutex_);
  Result NoteUnreadable(const std::string& path, const Status& why,
                        const FolderState::Newest& newest) RAMET_REQUIRES(mutex_);

  const CheckpointFolder folder_;
  const Wanted wanted_;
  FolderState& state_;

  Mutex mutex_;  // held during a scan
  std::map<std::string, FileIdentity> label_files_ RAMET_GUARDED_BY(mutex_);
  std::string unreadable_ RAMET_GUARDED_BY(mutex_);  // path of a checkpoint, or empty
  FolderState::Clock::time_point unreadable_since_ RAMET_GUARDED_BY(mutex_);
  int unreadable_scans_ RAMET_GUARDED_BY(mutex_) = 0;
};

}  // namespace ramet::files
