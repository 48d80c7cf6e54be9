#pragma once

#include <vector>

#include "ramet/graph/graph.h"

namespace ramet {

// Changes an operation's attrs and appends inputs and outputs as the new attrs require. The shapes
// of existing outputs are kept. Locks the graph.
// \error kInvalidArgument: an input belongs to a different graph, or the attrs do not match the op
//   or contradict the dtypes of existing inputs or outputs.
Status ExtendOperation(const Operation& op, AttrMap attrs, const std::vector<Output>& more_inputs);

}  // namespace ramet
