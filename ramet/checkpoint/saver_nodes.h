#pragma once

#include <vector>

#include "ramet/checkpoint/saveable.h"

namespace ramet {

// Adds the nodes of a saver of `saveables`, of which there is at least one, under the scope
// options.name: names, order and structure as TensorFlow 2.21 makes them (spec: checkpoints 3.4).
// Returns their names. Errors go to the graph.
SaverNames BuildSaverNodes(Graph& graph, const std::vector<Saveable>& saveables,
                           const SaverOptions& options);

}  // namespace ramet
