#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/format/checkpoint_state.h"
#include "ramet/graph_def/meta_graph.h"

namespace ramet {

// Reports whether a V2 or V1 checkpoint with that prefix exists (tf.train.checkpoint_exists). For a
// sharded V1 checkpoint, the prefix is the pattern of its shards, "m-?????-of-00002".
RAMET_EXPORT bool CheckpointExists(const std::string& prefix);

// Returns when the checkpoints were written, in seconds since the epoch. Checkpoints that do not
// exist are skipped (tf.train.get_checkpoint_mtimes).
RAMET_EXPORT std::vector<double> GetCheckpointMtimes(const std::vector<std::string>& prefixes);

// Removes the files of a checkpoint (tf.train.remove_checkpoint): first PREFIX.index, so that the
// checkpoint disappears at once, then its data files and PREFIX.<meta_graph_suffix>. For a V1
// checkpoint it removes the file or the shards. Missing files are not an error.
// \error as for the file operations.
RAMET_EXPORT Status RemoveCheckpoint(const std::string& prefix,
                                     std::string_view meta_graph_suffix = "meta",
                                     SaverNames::Format format = SaverNames::Format::kV2);
// Like RemoveCheckpoint, but keeps the .meta file.
Status RemoveCheckpointData(const std::string& prefix, SaverNames::Format format);

// Removes a file. A missing file is not an error.
Status RemoveIfThere(const std::string& file);

// Reads the state file of a folder (tf.train.get_checkpoint_state). Returns nothing if there is
// none, or if it cannot be read, which logs a warning; ReadCheckpointState tells the reason.
// \error kInvalidArgument: "Invalid checkpoint state loaded from DIR" if it names no checkpoint.
RAMET_EXPORT StatusOr<std::optional<CheckpointStateInfo>> GetCheckpointState(
    const std::string& dir, std::string_view latest_filename = "checkpoint");

// Records a checkpoint in the state file of `save_dir` (tf.train.update_checkpoint_state).
// \error as for WriteCheckpointState.
RAMET_EXPORT Status UpdateCheckpointState(const std::string& save_dir, CheckpointStateInfo state,
                                          const std::string& latest_filename = "checkpoint");

}  // namespace ramet
