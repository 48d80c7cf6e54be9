#pragma once

#include <string>

#include "ramet/base/export.h"
#include "ramet/graph/graph.h"

namespace ramet {

// Returns the value of a reference variable, or its initial value while it is uninitialized
// (tf.Variable.initialized_value): nodes "IsVariableInitialized" and "cond" in the open name scope.
// If the op registry has no Switch, returns just the variable's value; a run initializes variables
// in creation order.
RAMET_EXPORT Output InitializedValue(const Variable& variable);

// Returns `initial_value` with every reference variable that it depends on replaced by its
// InitializedValue, so that variables may be initialized in any order. Nodes in between are copied
// as "<node>_<full_name>". Returns `initial_value` itself if it depends on no variable in a
// collection, if it depends on itself through a loop, or if the op registry has no Switch.
Output GuardedInitialValue(Graph& graph, const Output& initial_value, const std::string& full_name);

}  // namespace ramet
