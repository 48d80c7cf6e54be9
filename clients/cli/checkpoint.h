#pragma once

#include <ramet/ramet.h>

#include <cstdint>
#include <string>
#include <vector>

namespace cli {

// What a checkpoint holds; every tensor of it was read and its checksum verified.
struct CheckpointSummary {
  std::vector<ramet::CheckpointTensor> tensors;
  int64_t bytes = 0;
  // The value of the tensor "global_step"; -1 if there is none.
  int64_t step = -1;
};

// Reads the whole checkpoint, V1 or V2, one tensor at a time, again from the start when it is
// overwritten meanwhile. \error those of CheckpointReader.
ramet::StatusOr<CheckpointSummary> VerifyCheckpoint(const std::string& prefix);

}  // namespace cli
