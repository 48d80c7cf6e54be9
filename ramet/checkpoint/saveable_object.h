#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ramet/graph/scope.h"

namespace ramet {

// A tensor that a SaveableObject saves in a checkpoint (TensorFlow's SaveSpec).
struct SaveSpec {
  Output tensor = {};  // the value to save; it is restored with the same dtype
  // The slice of a larger tensor that this is, such as "8 2 0,4:0,2" (shape, then offset and size
  // per dimension). Empty: the whole tensor.
  std::string slice_spec = {};
  std::string name = {};  // the key
};

// State that a Saver saves and restores in a custom way (TensorFlow's SaveableObject): several
// tensors, or values that are stored in a different form.
struct SaveableObject {
  // Determines its position in the save, which is ordered by name. Not a key.
  std::string name;
  // At least one. For a sharded Saver, all on the same device.
  std::vector<SaveSpec> specs;
  // Adds the operations that restore the state and returns the one that completes it. `restored`
  // has a tensor for each spec. `shapes` has the shapes of the specs' tensors if the Saver's option
  // `reshape` is set, or else is empty. Called once, while the Saver builds its nodes, in their
  // name scope and on the object's device. Returning an invalid operation is an error of the graph.
  std::function<Operation(const std::vector<Output>& restored, const std::vector<Input>& shapes)>
      restore;
};

}  // namespace ramet
