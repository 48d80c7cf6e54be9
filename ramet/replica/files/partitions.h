#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ramet/tensor/shape.h"

namespace ramet::files {

// A part of a partitioned variable: it is stored as a slice under the name of the whole.
struct VariablePart {
  std::string name;  // of its operation
  Shape shape;
  std::string full_name;
  Shape full_shape;
  std::string shape_and_slice;  // as RestoreV2 takes it
};

// The parts that the collections of a serialised MetaGraphDef tell of, each once. What does not add
// up is left out.
std::vector<VariablePart> PartsIn(std::string_view meta_graph);

}  // namespace ramet::files
