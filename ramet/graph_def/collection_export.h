#pragma once

#include <string>
#include <vector>

#include "ramet/graph/collections.h"
#include "ramet/graph_def/graph_writer.h"
#include "ramet/proto/meta_graph.pb.h"

namespace ramet {

// Writes the items that are in the scope and not excluded. The caller holds the graph's lock.
// Returns false if there are none, and false with a warning if they are of different kinds or
// include an object.
bool CollectionToProto(const GraphImpl& impl, const std::string& key,
                       const std::vector<CollectionItem>& items, const GraphWriterOptions& options,
                       CollectionDef* proto);

}  // namespace ramet
