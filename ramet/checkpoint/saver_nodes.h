#pragma once

#include <vector>

#include "ramet/checkpoint/saveable.h"

namespace ramet {

// Adds the nodes of a saver for `saveables`, which must not be empty, in the scope options.name.
// Names, order and structure are those of TensorFlow 2.21. Returns the names. Errors are recorded
// in the graph.
SaverNames BuildSaverNodes(Graph& graph, const std::vector<Saveable>& saveables,
                           const SaverOptions& options);

}  // namespace ramet
