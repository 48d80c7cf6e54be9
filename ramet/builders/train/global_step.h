#pragma once

#include "ramet/graph/scope.h"

namespace ramet {

// Returns the global step of a graph: the first variable in the collection "global_step", or else
// the variable called "global_step"; invalid if there is none. If it is not an integer scalar, the
// graph records an error.
RAMET_EXPORT Variable GetGlobalStep(Graph& graph);

// Like GetGlobalStep, but makes the variable if there is none: int64, zero, not trainable, in the
// collections "variables" and "global_step".
RAMET_EXPORT Variable GetOrCreateGlobalStep(Graph& graph);

}  // namespace ramet
