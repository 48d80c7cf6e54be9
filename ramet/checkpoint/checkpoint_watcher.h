#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/format/checkpoint_state.h"

namespace ramet {

// A checkpoint found by a watcher, and its graph if the trainer wrote one.
struct FoundCheckpoint {
  std::string prefix;
  std::string meta_path;  // empty if there is no PREFIX.meta
  int64_t step = -1;      // STEP of "PREFIX-STEP", or -1 if there is none
};

// A CheckpointWatcher reports new checkpoints in a folder: a different prefix in its state file, or
// the same prefix saved again. It waits for notifications from the file system, and also polls for
// file systems that send none. The folder need not exist at first. Not thread-safe.
class RAMET_EXPORT CheckpointWatcher {
 public:
  explicit CheckpointWatcher(std::string dir, std::string latest_filename = "checkpoint");
  CheckpointWatcher(CheckpointWatcher&&) noexcept;
  ~CheckpointWatcher();

  // Returns the latest checkpoint if it differs from the last one returned.
  // \error kNotFound: there is no checkpoint, or no new one.
  // \error as for ReadCheckpointState.
  StatusOr<FoundCheckpoint> Poll();
  // Waits for a new checkpoint and returns it.
  // \error kDeadlineExceeded: none came in time. The message names the folder.
  // \error as for Poll.
  StatusOr<FoundCheckpoint> Wait(std::chrono::milliseconds timeout);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Options of a CheckpointsIterator.
struct CheckpointsIteratorOptions {
  // Minimum time between two checkpoints returned.
  std::chrono::milliseconds min_interval{0};
  // How long to wait for the next checkpoint. Unset: forever.
  std::optional<std::chrono::milliseconds> timeout = {};
  // Called after a timeout and before each further wait. The iteration ends when it returns true.
  // Without this function, a timeout ends the iteration.
  std::function<bool()> timeout_fn = {};
};

// A CheckpointsIterator returns the checkpoints of a folder as they appear
// (tf.train.checkpoints_iterator): each time the latest one, if its path differs from the last one
// returned. Not thread-safe.
class RAMET_EXPORT CheckpointsIterator {
 public:
  explicit CheckpointsIterator(std::string dir, CheckpointsIteratorOptions options = {});

  // Waits for the next checkpoint and returns its prefix. Returns nothing at the end.
  std::optional<std::string> Next();

 private:
  bool Wait(std::string* prefix);

  CheckpointWatcher watcher_;
  CheckpointsIteratorOptions options_;
  std::string last_;
  std::chrono::steady_clock::time_point given_at_;
  bool ended_ = false;
};

}  // namespace ramet
