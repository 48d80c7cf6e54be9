#include "ramet/graph_def/meta_graph.h"

#include "ramet/base/file.h"
#include "ramet/graph_def/meta_graph_reader.h"
#include "ramet/graph_def/meta_graph_writer.h"
#include "ramet/wire/message_file.h"

namespace ramet {

StatusOr<MetaGraphInfo> ImportMetaGraphBytes(Graph& graph, std::string_view meta_graph,
                                             const ImportMetaGraphOptions& options) {
  RAMET_ASSIGN_OR_RETURN(const MetaGraphView meta, MetaGraphView::Parse(meta_graph));
  return ImportMetaGraphView(graph, meta, options);
}

StatusOr<MetaGraphInfo> ImportMetaGraphFile(Graph& graph, const std::string& path,
                                            const ImportMetaGraphOptions& options) {
  RAMET_ASSIGN_OR_RETURN(const std::string bytes, ReadMessageFile(path));
  const StatusOr<MetaGraphView> meta = MetaGraphView::Parse(bytes);
  if (!meta.ok()) return CannotParse(path, meta.status());
  auto info = ImportMetaGraphView(graph, *meta, options);
  if (!info.ok()) return info.status().WithContext(path);
  return info;
}

StatusOr<std::string> ExportMetaGraph(const Graph& graph, const ExportMetaGraphOptions& options) {
  if (!options.as_text) return MetaGraphToBytes(graph, options);
  MetaGraphDef meta;
  RAMET_RETURN_IF_ERROR(MetaGraphToProto(graph, options, &meta));
  return MessageToBytes(meta, true);
}

Status ExportMetaGraphFile(const Graph& graph, const std::string& path,
                           const ExportMetaGraphOptions& options) {
  RAMET_ASSIGN_OR_RETURN(std::string bytes, ExportMetaGraph(graph, options));
  return AtomicWriteFile(path, bytes);
}

}  // namespace ramet
