#pragma once

#include <span>
#include <string>
#include <vector>

#include "ramet/format/bundle_reader.h"
#include "ramet/replica/files/checkpoint_folder.h"
#include "ramet/replica/files/partitions.h"

namespace ramet::files {

// What a checkpoint holds for followers, and what to ask of it for that.
struct StoredVariables {
  ReplicaSignature signature;
  std::vector<BundleRequest> requests;  // in the order of the signature
};

// By its version file, or its index: all tensors of a fixed size; of an object-based checkpoint
// (tf.train.Checkpoint) under the names of the variables; and the `parts` of partitioned variables
// under theirs. \error kDataLoss if the index is damaged; kFailedPrecondition if there is nothing
// in
//   it.
StatusOr<StoredVariables> VariablesOf(const FoundVersion& found,
                                      std::span<const VariablePart> parts);

struct VersionValues {
  std::vector<Tensor> values;  // in the order of the requests
  int64_t step = -1;
};

// Reads a version: all of one save, with every checksum verified. \error kNotFound if it is gone,
// or overwritten by another; kDataLoss if it is damaged; kFailedPrecondition if it does not have
// what is asked for.
StatusOr<VersionValues> ReadVersion(const FoundVersion& found, const StoredVariables& variables);

// The step of the checkpoint `prefix`: its tensor global_step, or the number in `named`, or -1.
int64_t StepOf(const std::string& prefix, const std::string& named);

}  // namespace ramet::files
