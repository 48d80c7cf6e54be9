#pragma once

#include <map>
#include <string>
#include <vector>

#include "ramet/base/status.h"
#include "ramet/format/bundle_restore.h"

// Support for checkpoints of tf.train.Checkpoint. Their keys are paths in a graph of objects. A
// message in the checkpoint records the variable name of each key ("full_name").
namespace ramet {

// Returns the keys of a checkpoint by variable name.
// \error kNotFound: the checkpoint is not object-based.
// \error kDataLoss: the object graph cannot be read.
StatusOr<std::map<std::string, std::string>> ObjectGraphKeys(const std::string& prefix);

// Replaces the names in `requests` by keys.
// \error kNotFound: some names are missing. The message, in TensorFlow's wording, lists them and
//   the unused names of the checkpoint, and tells how many names matched.
Status MapToObjectKeys(const std::map<std::string, std::string>& keys,
                       std::vector<BundleRequest>* requests);

}  // namespace ramet
