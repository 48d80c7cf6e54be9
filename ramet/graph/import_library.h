#pragma once

#include <string>

#include "ramet/base/status.h"
#include "ramet/proto/graph.pb.h"

namespace ramet {

// What Graph::library_bytes is to hold when `def` is added to a graph where it holds `before`:
// functions, gradients, debug info and unknown fields (those of the versions too) of both. \error
// kInvalidArgument if both have a function of one name and the bodies differ; kDataLoss if `before`
//   cannot be read.
StatusOr<std::string> MergeLibraries(const std::string& before, const GraphDef& def);

}  // namespace ramet
