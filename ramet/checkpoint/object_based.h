#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "ramet/base/status.h"

// Checkpoints of tf.train.Checkpoint: their keys name paths in a graph of objects; a message in the
// checkpoint says which variable each one was ("full_name").
namespace ramet {

// Variable names -> keys of the checkpoint.
// \error kNotFound if the checkpoint is not an object-based one; kDataLoss if its object graph
// cannot
//   be read.
StatusOr<std::map<std::string, std::string>> ObjectGraphKeys(const std::string& prefix);

// The keys of `names`. \error kNotFound, as TensorFlow words it, if some are not there: which,
// which others the checkpoint has, and how many did match.
StatusOr<std::vector<std::string>> MapToObjectKeys(std::span<const std::string> names,
                                                   const std::map<std::string, std::string>& keys);

}  // namespace ramet
