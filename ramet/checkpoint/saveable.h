#pragma once

#include <string>
#include <vector>

#include "ramet/checkpoint/saver.h"

namespace ramet {

// What a saver saves in one go: a tensor (its key, its part of a partitioned variable, "" for the
// whole of one that is not, and the variable that it is saved from and restored to), or an object
// of the options, which keeps tensors under keys of its own.
struct Saveable {
  std::string name;
  std::string shape_and_slice;
  Variable variable;
  const SaveableObject* object = nullptr;
  DType stored_as = DType::kInvalid;  // in the checkpoint, where it is not the variable's dtype
};

// What `options` asks a saver to save, in the order in which TensorFlow saves it: by name, the
// parts of one name in the order given (of a list: by the names of their variables). \error
// kInvalidArgument with TensorFlow's wording: "At least two variables have the same name",
//   "The same saveable will be restored with two names", "Slices must all be from the same tensor",
//   ... An empty result is no error. Objects are those of `options`, which must stay.
StatusOr<std::vector<Saveable>> CollectSaveables(Graph& graph, const SaverOptions& options);

// Whether CollectSaveables takes the variables from the graph's collections.
bool SavesCollections(const SaverOptions& options);

}  // namespace ramet
