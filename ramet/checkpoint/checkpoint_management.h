#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/format/checkpoint_state.h"
#include "ramet/graph/meta_graph.h"

namespace ramet {

// Whether a V2 or V1 checkpoint of that prefix exists (tf.train.checkpoint_exists). The prefix of a
// V1 checkpoint in shards is their pattern, "m-?????-of-00002".
RAMET_EXPORT bool CheckpointExists(const std::string& prefix);

// When the checkpoints were written, in seconds since the epoch; those that do not exist are left
// out (tf.train.get_checkpoint_mtimes).
RAMET_EXPORT std::vector<double> GetCheckpointMtimes(const std::vector<std::string>& prefixes);

// Removes the files of a checkpoint: PREFIX.index first, so that it is gone at once, then its data
// files and PREFIX.<meta_graph_suffix> (tf.train.remove_checkpoint); of a V1 checkpoint the file or
// shards. What is not there is no error. \error those of the files.
RAMET_EXPORT Status RemoveCheckpoint(const std::string& prefix,
                                     std::string_view meta_graph_suffix = "meta",
                                     SaverNames::Format format = SaverNames::Format::kV2);
// The same, but leaves the .meta file.
Status RemoveCheckpointData(const std::string& prefix, SaverNames::Format format);

// Removes a file; one that is not there is no error.
Status RemoveIfThere(const std::string& file);

// What the state file of a folder says (tf.train.get_checkpoint_state): nothing if there is none or
// it cannot be read, with a warning; ReadCheckpointState tells why.
// \error kInvalidArgument "Invalid checkpoint state loaded from DIR" if it names no checkpoint.
RAMET_EXPORT StatusOr<std::optional<CheckpointStateInfo>> GetCheckpointState(
    const std::string& dir, std::string_view latest_filename = "checkpoint");

// Records a checkpoint in the state file of `save_dir` (tf.train.update_checkpoint_state).
// \error as WriteCheckpointState.
RAMET_EXPORT Status UpdateCheckpointState(const std::string& save_dir, CheckpointStateInfo state,
                                          const std::string& latest_filename = "checkpoint");

}  // namespace ramet
