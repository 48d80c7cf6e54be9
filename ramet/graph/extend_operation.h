#pragma once

#include <vector>

#include "ramet/graph/graph.h"

namespace ramet {

// Gives an operation other attrs, and more inputs and outputs behind those that it has, as the
// attrs say. Shapes of the outputs that were there stay. Locks the graph.
// \error kInvalidArgument if an input is of another graph, if the attrs do not fit the op, or say
//   other dtypes for what is there.
Status ExtendOperation(const Operation& op, AttrMap attrs, const std::vector<Output>& more_inputs);

}  // namespace ramet
