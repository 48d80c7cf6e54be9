#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/format/checkpoint_state.h"

namespace ramet {

// Removes the files of a checkpoint: PREFIX.index first, so that it is gone at once, then its data
// files and PREFIX.<meta_graph_suffix> (tf.train.remove_checkpoint). What is not there is no error.
// \error those of the files.
RAMET_EXPORT Status RemoveCheckpoint(const std::string& prefix,
                                     std::string_view meta_graph_suffix = "meta");

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

}  // namespace ramet
