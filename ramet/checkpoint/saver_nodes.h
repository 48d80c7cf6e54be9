#pragma once

#include "ramet/checkpoint/saver.h"

namespace ramet {

// Adds the nodes of an unsharded V2 saver under the scope options.name (spec: checkpoints 3.4) and
// returns their names. Errors go to the graph.
SaverNames BuildSaverNodes(Graph& graph, const SaverOptions& options);

}  // namespace ramet
