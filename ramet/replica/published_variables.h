#pragma once

#include <vector>

#include "ramet/graph/graph.h"

namespace ramet {

// What a publisher publishes when it is not told: the variables of the collection "variables" but
// for what only optimizers use, their slots and counts. What batch normalisation averages and the
// step are among them.
std::vector<Variable> VariablesForInference(const Graph& graph);

}  // namespace ramet
