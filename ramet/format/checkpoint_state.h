#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/base/status.h"

// The `checkpoint` state file: a text-form CheckpointState message in the folder of the
// checkpoints, which says which one is the latest (docs/formats/checkpoint-v2.md).
namespace ramet {

// What a CheckpointState message says.
struct CheckpointStateInfo {
  std::string model_checkpoint_path;
  // Oldest first; the last one is model_checkpoint_path.
  std::vector<std::string> all_model_checkpoint_paths;
  // Seconds since the epoch, as many as paths or none.
  std::vector<double> all_model_checkpoint_timestamps;
  std::optional<double> last_preserved_timestamp;
};

// Reads DIR/FILENAME; relative paths in it are joined to `dir`.
// \error kNotFound if there is no such file.
// \error kDataLoss if it is not a text-form CheckpointState (with line and column), is longer than
//   64 MiB, or a path in it holds a NUL byte or is longer than PATH_MAX allows.
// \error kInvalidArgument "Invalid checkpoint state loaded from DIR" if it names no checkpoint.
RAMET_EXPORT StatusOr<CheckpointStateInfo> ReadCheckpointState(
    const std::string& dir, std::string_view filename = "checkpoint");

struct WriteCheckpointStateOptions {
  std::string filename = "checkpoint";
  // Absolute paths under `dir` are recorded relative to it.
  bool save_relative_paths = false;
};

// The state as it is to be recorded in `save_dir`: model_checkpoint_path is appended to the list
// unless the list ends with it. When `save_dir` is relative, relative paths (to the working folder)
// become relative to it; with save_relative_paths absolute ones do. \error kInvalidArgument if
// there are timestamps, but not as many as paths.
RAMET_EXPORT StatusOr<CheckpointStateInfo> MakeCheckpointState(const std::string& save_dir,
                                                               CheckpointStateInfo state,
                                                               bool save_relative_paths = false);

// Records `state` (through MakeCheckpointState) in SAVE_DIR/FILENAME, replacing the file in one
// atomic, synced step. \error as MakeCheckpointState; kFailedPrecondition if the state file would
// be the checkpoint itself; those of the file.
RAMET_EXPORT Status WriteCheckpointState(const std::string& save_dir, CheckpointStateInfo state,
                                         const WriteCheckpointStateOptions& options = {});

// The path of the latest checkpoint that DIR/FILENAME names, if its files are there.
// \error kNotFound if there is no state file, or the checkpoint that it names is gone (the message
// names
//   both); those of ReadCheckpointState.
RAMET_EXPORT StatusOr<std::string> LatestCheckpoint(const std::string& dir,
                                                    std::string_view filename = "checkpoint");

}  // namespace ramet
