#pragma once

#include "ramet/graph/export_proto.h"
#include "ramet/graph/graph_def_view.h"
#include "ramet/graph/meta_graph.h"
#include "ramet/proto/meta_graph.pb.h"

namespace ramet {

SaverNames SaverFromProto(const SaverDef& proto);
// Sets the fields of `*proto` from `saver`.
void SaverToProto(const SaverNames& saver, SaverDef* proto);

// Returns the definitions of the primitive ops in `graph` and its functions, sorted by name. They
// come from `carried` if possible, otherwise from the graph.
// \error kInvalidArgument: a definition has no proto form.
Status StrippedOpList(const GraphImpl& impl, const GraphBytes& graph, const OpList& carried,
                      OpList* list);

// ImportMetaGraphBytes for a parsed meta graph.
StatusOr<MetaGraphInfo> ImportMetaGraphView(Graph& graph, const MetaGraphView& meta,
                                            const ImportMetaGraphOptions& options);
// Errors are those of ExportMetaGraph.
Status MetaGraphToProto(const Graph& graph, const ExportMetaGraphOptions& options,
                        MetaGraphDef* meta);

}  // namespace ramet
