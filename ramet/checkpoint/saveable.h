#pragma once

#include <string>
#include <vector>

#include "ramet/checkpoint/saver.h"

namespace ramet {

// A unit that a saver saves: either a tensor or an object of the options, which saves tensors under
// keys of its own. For a tensor: its key, its slice of a partitioned variable (empty if it is not a
// slice), and the variable that it is saved from and restored to.
struct Saveable {
  std::string name;
  std::string shape_and_slice;
  Variable variable;
  const SaveableObject* object = nullptr;
  DType stored_as = DType::kInvalid;  // dtype in the checkpoint, if it differs from the variable's
};

// Returns what `options` asks a saver to save, in TensorFlow's order: by name, and the slices of
// one name in the order given (for a list, by the names of their variables). The result may be
// empty. It refers to objects of `options`, which must outlive it.
// \error kInvalidArgument: in TensorFlow's wording: "At least two variables have the same name",
//   "The same saveable will be restored with two names", "Slices must all be from the same tensor",
//   ...
StatusOr<std::vector<Saveable>> CollectSaveables(Graph& graph, const SaverOptions& options);

// Reports whether CollectSaveables takes the variables from the graph's collections.
bool SavesCollections(const SaverOptions& options);

}  // namespace ramet
