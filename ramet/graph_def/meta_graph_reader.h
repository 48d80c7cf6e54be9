#pragma once

#include "ramet/graph_def/meta_graph.h"
#include "ramet/wire/graph_def_view.h"

namespace ramet {

// ImportMetaGraphBytes for a parsed meta graph.
StatusOr<MetaGraphInfo> ImportMetaGraphView(Graph& graph, const MetaGraphView& meta,
                                            const ImportMetaGraphOptions& options);

}  // namespace ramet
