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

// What a watcher found: a checkpoint that is there, and its graph if the trainer wrote one.
struct FoundCheckpoint {
  std::string prefix;
  std::string meta_path;  // "" if there is no PREFIX.meta
  int64_t step = -1;      // from "-STEP" at the end of the prefix, -1 if there is none
};

// A CheckpointWatcher says when a folder has a new checkpoint: another prefix in its state file, or
// the same prefix saved again. It waits on the file system's notices and looks by itself now and
// then, for file systems that send none. Works from before the folder exists. One thread at a time.
class RAMET_EXPORT CheckpointWatcher {
 public:
  explicit CheckpointWatcher(std::string dir, std::string latest_filename = "checkpoint");
  CheckpointWatcher(CheckpointWatcher&&) noexcept;
  ~CheckpointWatcher();

  // The latest checkpoint if it is not the one that was returned last.
  // \error kNotFound if there is none or nothing new; those of the state file.
  StatusOr<FoundCheckpoint> Poll();
  // As Poll, but waits for one. \error kDeadlineExceeded naming the folder if none came in time.
  StatusOr<FoundCheckpoint> Wait(std::chrono::milliseconds timeout);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// The arguments of a CheckpointsIterator.
struct CheckpointsIteratorOptions {
  // Checkpoints come no faster than this.
  std::chrono::milliseconds min_interval{0};
  // How long to wait for the next one; unset: for ever.
  std::optional<std::chrono::milliseconds> timeout = {};
  // Asked after a timeout and before each further wait: true ends the iteration. Without it a
  // timeout does.
  std::function<bool()> timeout_fn = {};
};

// A CheckpointsIterator gives the checkpoints of a folder as they appear
// (tf.train.checkpoints_iterator): each time the latest one, if it is not the path that was given
// last. One thread at a time.
class RAMET_EXPORT CheckpointsIterator {
 public:
  explicit CheckpointsIterator(std::string dir, CheckpointsIteratorOptions options = {});

  // Waits for the next checkpoint and returns its prefix; nothing at the end.
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
