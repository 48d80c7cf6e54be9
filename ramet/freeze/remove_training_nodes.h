#pragma once

#include <string>
#include <vector>

#include "ramet/base/status.h"
#include "ramet/proto/graph.pb.h"

namespace ramet {

// RemoveTrainingNodes (freeze.h) on a parsed message, with the same errors. `*part` is overwritten.
Status RemoveTrainingNodesProto(const GraphDef& def,
                                const std::vector<std::string>& protected_nodes, bool as_tensorflow,
                                GraphDef* part);

}  // namespace ramet
