#pragma once

#include <functional>
#include <string>

#include "ramet/base/export.h"
#include "ramet/base/status.h"
#include "ramet/format/checkpoint_reader.h"

// Copying checkpoints, from either format to either.
namespace ramet {

struct CopyCheckpointOptions {
  CheckpointFormat format = CheckpointFormat::kV2;
  // The name under which a tensor is written; "" leaves it out. Without it every tensor keeps its
  // name.
  std::function<std::string(const CheckpointTensor&)> rename = {};
  // Called before each tensor that is written.
  std::function<void(const CheckpointTensor&)> on_tensor = {};
};

// Writes what `from` holds as the checkpoint `to`: the prefix of a V2 checkpoint, or the path of a
// V1 file. Slices stay as they are; all checksums are verified. Of V2 to V2 a tensor of numbers is
// copied 256 KiB at a time, so a checkpoint may be larger than memory; a string tensor, a stored
// slice that goes to V1 or a record that comes from V1 (each less than 2 GiB) is in memory while it
// is copied. The copy appears in one step when it is complete; after an error whatever was at `to`
// is as before.
// \error those of the reader and of BundleWriter or V1Writer; kInvalidArgument "Adding duplicate
// key: NAME" if two tensors get one name.
RAMET_EXPORT Status CopyCheckpoint(CheckpointReader& from, const std::string& to,
                                   const CopyCheckpointOptions& options = {});

}  // namespace ramet
