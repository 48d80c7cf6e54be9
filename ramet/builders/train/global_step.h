#pragma once

#include "ramet/graph/scope.h"

namespace ramet {

// The global step of a graph: the first variable of the collection "global_step", or the one called
// "global_step"; invalid if there is none. An integer scalar otherwise: an error of the graph.
RAMET_EXPORT Variable GetGlobalStep(Graph& graph);

// The same, made when there is none: int64, zero, not trainable, in the collections "variables" and
// "global_step".
RAMET_EXPORT Variable GetOrCreateGlobalStep(Graph& graph);

}  // namespace ramet
