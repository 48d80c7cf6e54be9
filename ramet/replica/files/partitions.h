#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ramet/tensor/shape.h"

namespace ramet::files {

// A part of a partitioned variable. It is stored as a slice of a tensor with the variable's name.
struct VariablePart {
  std::string name;  // of the part's operation
  Shape shape;
  std::string full_name;
  Shape full_shape;
  std::string shape_and_slice;  // in the format of RestoreV2
};

// Returns the parts listed in the collections of a serialized MetaGraphDef, each once. Inconsistent
// entries are skipped.
std::vector<VariablePart> PartsIn(std::string_view meta_graph);

}  // namespace ramet::files
