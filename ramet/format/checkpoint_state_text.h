#pragma once

#include <string>

#include "ramet/format/checkpoint_state.h"

namespace ramet {

// Returns the content of the state file that WriteCheckpointState writes.
// \error as WriteCheckpointState, except for errors of the file.
StatusOr<std::string> CheckpointStateText(const std::string& save_dir, CheckpointStateInfo state,
                                          const WriteCheckpointStateOptions& options);

}  // namespace ramet
