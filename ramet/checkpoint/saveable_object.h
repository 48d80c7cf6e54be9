#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ramet/graph/scope.h"

namespace ramet {

// One tensor that a SaveableObject keeps in a checkpoint (TensorFlow's SaveSpec).
struct SaveSpec {
  Output tensor = {};  // what is saved; restored with its dtype
  // The part of a larger tensor that this is, "8 2 0,4:0,2" (shape, then offset and size of each
  // dimension); "": all of it.
  std::string slice_spec = {};
  std::string name = {};  // the key
};

// State that a Saver saves and restores in its own way (TensorFlow's SaveableObject): several
// tensors, or values that are not kept as they are.
struct SaveableObject {
  // Its place among what is saved, which goes by name. Not a key.
  std::string name;
  // One or more. For a sharded Saver all on one device.
  std::vector<SaveSpec> specs;
  // Adds the operations that take up what was read, a tensor for each spec, and returns the one
  // that does it all. `shapes` has those of the specs' tensors where the Saver's option reshape is
  // set, and is empty otherwise. Called once, while the Saver builds its nodes: in their name scope
  // and on the object's device. An invalid operation is an error of the graph.
  std::function<Operation(const std::vector<Output>& restored, const std::vector<Input>& shapes)>
      restore;
};

}  // namespace ramet
