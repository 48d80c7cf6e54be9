#pragma once

#include <ramet/ramet.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tensors.h"

namespace cli {

// What a checkpoint holds.
struct CheckpointSummary {
  std::vector<TensorInfo> tensors;
  int64_t bytes = 0;
  // The value of the tensor "global_step"; -1 if there is none.
  int64_t step = -1;
  std::string format;     // "v2", "v1", "safetensors", "npz"
  bool verified = false;  // every tensor was read and its checksum verified
};

// Reads the whole file or checkpoint (path as OpenTensors), one tensor at a time; a V2 checkpoint
// again from the start when it is overwritten meanwhile. \error those of OpenTensors and of
// reading.
ramet::StatusOr<CheckpointSummary> VerifyCheckpoint(const std::string& path);
// Reads no tensor but the step.
ramet::StatusOr<CheckpointSummary> ListCheckpoint(const std::string& path);

}  // namespace cli
