#pragma once

#include <string>

#include "ramet/graph_def/meta_graph.h"
#include "ramet/proto/meta_graph.pb.h"

namespace ramet {

// Writes the graph as a message. Errors are those of ExportMetaGraph.
Status MetaGraphToProto(const Graph& graph, const ExportMetaGraphOptions& options,
                        MetaGraphDef* meta);
// Returns the serialized message, without building one for the nodes. Errors are those of
// ExportMetaGraph.
StatusOr<std::string> MetaGraphToBytes(const Graph& graph, const ExportMetaGraphOptions& options);

}  // namespace ramet
