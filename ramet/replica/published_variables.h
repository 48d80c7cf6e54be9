#pragma once

#include <vector>

#include "ramet/graph/graph.h"

namespace ramet {

// Returns the variables that a publisher publishes by default: those of the collection "variables",
// except the ones that only optimizers use, such as slots and counters. The moving averages of
// batch normalization and the global step are included.
std::vector<Variable> VariablesForInference(const Graph& graph);

}  // namespace ramet
