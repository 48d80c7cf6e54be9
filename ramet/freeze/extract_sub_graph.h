#pragma once

#include <string>
#include <vector>

#include "ramet/base/status.h"
#include "ramet/proto/graph.pb.h"

namespace ramet {

// ExtractSubGraph (freeze.h) on a parsed message, with the same errors. `*part` is overwritten.
Status ExtractSubGraphProto(const GraphDef& def, const std::vector<std::string>& nodes,
                            GraphDef* part);

}  // namespace ramet
