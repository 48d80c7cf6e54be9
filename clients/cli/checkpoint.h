#pragma once

#include <ramet/ramet.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "tensors.h"

namespace cli {

// A summary of a checkpoint.
struct CheckpointSummary {
  std::vector<TensorInfo> tensors;
  int64_t bytes = 0;
  // The value of the tensor "global_step", or -1 if there is none.
  int64_t step = -1;
  std::string format;     // "v2", "v1", "safetensors", "npz"
  bool verified = false;  // whether every tensor was read and its checksum verified
};

// Reads all tensors of a checkpoint or file and verifies their checksums. Takes the same paths as
// OpenTensors. Starts again if a V2 checkpoint is overwritten while it is read.
// \error as for OpenTensors and TensorSource::Read.
ramet::StatusOr<CheckpointSummary> VerifyCheckpoint(const std::string& path);
// Summarizes a checkpoint or file without reading any tensor except the step.
// \error as for OpenTensors and TensorSource::Read.
ramet::StatusOr<CheckpointSummary> ListCheckpoint(const std::string& path);

// A wait for a checkpoint is not worth a line while the trainer may be starting at this moment.
inline constexpr std::chrono::milliseconds kQuietWait(500);
// Returns the line of a command that waits for the first checkpoint of a folder.
std::string WaitingFor(const std::string& folder);

// Returns NUMBER of the checkpoint "PREFIX-NUMBER", or -1 if its name has none.
int64_t NumberOf(const std::string& prefix);

}  // namespace cli
