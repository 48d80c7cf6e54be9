#pragma once

#include <map>
#include <string>
#include <vector>

#include "ramet/base/status.h"
#include "ramet/format/bundle_reader.h"

// Checkpoints of tf.train.Checkpoint: their keys name paths in a graph of objects; a message in the
// checkpoint says which variable each one was ("full_name").
namespace ramet {

// Variable names -> keys of the checkpoint.
// \error kNotFound if the checkpoint is not an object-based one; kDataLoss if its object graph
// cannot
//   be read.
StatusOr<std::map<std::string, std::string>> ObjectGraphKeys(const std::string& prefix);

// Puts keys in the place of the names of `requests`.
// \error kNotFound, as TensorFlow words it, if some are not there: which, which others the
// checkpoint
//   has, and how many did match.
Status MapToObjectKeys(const std::map<std::string, std::string>& keys,
                       std::vector<BundleRequest>* requests);

}  // namespace ramet
