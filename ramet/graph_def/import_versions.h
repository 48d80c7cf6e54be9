#pragma once

#include "ramet/graph/graph.h"
#include "ramet/proto/versions.pb.h"

namespace ramet {

// Checks that this version may read a GraphDef with these versions.
// \error kInvalidArgument: the file requires a different reader. TensorFlow's wording.
Status CheckVersions(const VersionDef& versions);
// Combines the versions of a file with those of the graph that it is imported into: the smallest
// producer, the largest min_consumer, all bad_consumers.
void MergeVersions(const VersionDef& from, GraphVersions* to);

}  // namespace ramet
