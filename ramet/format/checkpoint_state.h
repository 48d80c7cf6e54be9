#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/base/status.h"

// The `checkpoint` state file: a CheckpointState message in text format in the folder of the
// checkpoints. It tells which checkpoint is the latest (docs/formats/checkpoint-v2.md).
namespace ramet {

// The content of a CheckpointState message.
struct CheckpointStateInfo {
  std::string model_checkpoint_path;
  // Oldest first. The last one is model_checkpoint_path.
  std::vector<std::string> all_model_checkpoint_paths;
  // Seconds since 1970. One per path, or empty.
  std::vector<double> all_model_checkpoint_timestamps;
  std::optional<double> last_preserved_timestamp;
};

// Reads DIR/FILENAME and makes its relative paths relative to `dir`.
// \error kNotFound: the file does not exist.
// \error kDataLoss: it is not a CheckpointState in text format (the message has line and column) or
//   is longer than 64 MiB, or a path contains a NUL byte or exceeds PATH_MAX.
// \error kInvalidArgument: it names no checkpoint, "Invalid checkpoint state loaded from DIR".
RAMET_EXPORT StatusOr<CheckpointStateInfo> ReadCheckpointState(
    const std::string& dir, std::string_view filename = "checkpoint");

struct WriteCheckpointStateOptions {
  std::string filename = "checkpoint";
  // Records absolute paths under `dir` relative to it.
  bool save_relative_paths = false;
};

// Returns the state to record in `save_dir`. Appends model_checkpoint_path to the list unless it is
// the last element. If `save_dir` is relative, relative paths (to the working folder) become
// relative to it; with save_relative_paths, absolute ones do too.
// \error kInvalidArgument: there are timestamps, but not one per path.
// \error kFailedPrecondition: the working folder cannot be determined.
RAMET_EXPORT StatusOr<CheckpointStateInfo> MakeCheckpointState(const std::string& save_dir,
                                                               CheckpointStateInfo state,
                                                               bool save_relative_paths = false);

// Records `state` (through MakeCheckpointState) in SAVE_DIR/FILENAME, atomically replacing and
// syncing the file.
// \error kFailedPrecondition: the state file would overwrite the checkpoint itself.
// \error as MakeCheckpointState, or any error of the file.
RAMET_EXPORT Status WriteCheckpointState(const std::string& save_dir, CheckpointStateInfo state,
                                         const WriteCheckpointStateOptions& options = {});

// Returns the path of the latest checkpoint that DIR/FILENAME names, if its files exist.
// \error kNotFound: there is no state file, or the checkpoint that it names is missing. The message
//   names both.
// \error as ReadCheckpointState.
RAMET_EXPORT StatusOr<std::string> LatestCheckpoint(const std::string& dir,
                                                    std::string_view filename = "checkpoint");

}  // namespace ramet
