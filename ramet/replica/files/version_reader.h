#pragma once

#include <span>
#include <string>
#include <vector>

#include "ramet/format/bundle_restore.h"
#include "ramet/replica/files/checkpoint_folder.h"
#include "ramet/replica/files/partitions.h"

namespace ramet::files {

// The variables that a checkpoint holds for followers, and how to read them.
struct StoredVariables {
  ReplicaSignature signature;
  std::vector<BundleRequest> requests;  // in the order of the signature
};

// Finds the variables of a checkpoint by its version file or else by its index. The index yields
// all tensors of fixed-size dtypes and the `parts` of partitioned variables, under the parts'
// names. For an object-based checkpoint (tf.train.Checkpoint) it yields the variables under their
// own names.
// \error kDataLoss: the index is damaged.
// \error kFailedPrecondition: the checkpoint holds nothing that can be followed.
StatusOr<StoredVariables> VariablesOf(const FoundVersion& found,
                                      std::span<const VariablePart> parts);

struct VersionValues {
  std::vector<Tensor> values;  // in the order of the requests
  int64_t step = -1;
};

// Reads a version and verifies every checksum. All values come from one save.
// \error kNotFound: the version was removed or overwritten.
// \error kDataLoss: the version is damaged.
// \error kFailedPrecondition: the version does not have the requested variables.
StatusOr<VersionValues> ReadVersion(const FoundVersion& found, const StoredVariables& variables);

// Returns the step of checkpoint `prefix`: its tensor global_step, or the number in `named`, or -1.
int64_t StepOf(const std::string& prefix, const std::string& named);

}  // namespace ramet::files
