#pragma once

#include <functional>
#include <string>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/format/checkpoint_reader.h"

// Copies checkpoints from either format to either format.
namespace ramet {

struct CopyCheckpointOptions {
  CheckpointFormat format = CheckpointFormat::kV2;
  // Returns the name under which a tensor is written; "" skips it. If empty, every tensor keeps its
  // name.
  std::function<std::string(const CheckpointTensor&)> rename = {};
  // Called before each tensor that is written.
  std::function<void(const CheckpointTensor&)> on_tensor = {};
};

// Writes the tensors of `from` to the checkpoint `to`: the prefix of a V2 checkpoint, or the path
// of a V1 file. Keeps slices and verifies all checksums. From V2 to V2, numeric tensors are copied
// 256 KiB at a time, so a checkpoint may be larger than memory. String tensors, slices written to
// V1 and records read from V1 (each less than 2 GiB) are in memory while they are copied. The copy
// appears atomically when it is complete; after an error `to` is unchanged.
// \error kInvalidArgument: "Adding duplicate key: NAME", if two tensors get the same name.
// \error as the reader and BundleWriter or V1Writer.
RAMET_EXPORT Status CopyCheckpoint(CheckpointReader& from, const std::string& to,
                                   const CopyCheckpointOptions& options = {});

}  // namespace ramet
