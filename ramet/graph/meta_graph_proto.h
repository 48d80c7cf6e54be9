#pragma once

#include "ramet/graph/export_proto.h"
#include "ramet/graph/graph_def_view.h"
#include "ramet/graph/meta_graph.h"
#include "ramet/proto/meta_graph.pb.h"

namespace ramet {

SaverNames SaverFromProto(const SaverDef& proto);
// Writes the fields of `saver` over those of `*proto`.
void SaverToProto(const SaverNames& saver, SaverDef* proto);

// The definitions of the primitive ops in `graph` and its functions, sorted by name: those of
// `carried` where it has them, else as the graph knows them. \error kInvalidArgument if a
// definition has no proto form.
Status StrippedOpList(const GraphImpl& impl, const GraphBytes& graph, const OpList& carried,
                      OpList* list);

// ImportMetaGraphBytes of what has been parsed.
StatusOr<MetaGraphInfo> ImportMetaGraphView(Graph& graph, const MetaGraphView& meta,
                                            const ImportMetaGraphOptions& options);
// \error as ExportMetaGraph.
Status MetaGraphToProto(const Graph& graph, const ExportMetaGraphOptions& options,
                        MetaGraphDef* meta);

}  // namespace ramet
