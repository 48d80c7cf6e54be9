#include "ramet/graph_def/import.h"

#include "ramet/graph_def/graph_import.h"
#include "ramet/wire/message_file.h"

namespace ramet {
namespace {

StatusOr<ImportResults> ImportView(Graph& graph, const GraphDefView& def,
                                   const ImportOptions& options) {
  OpList producer_ops;
  if (!producer_ops.ParseFromString(options.producer_op_list)) {
    return InvalidArgument("producer_op_list is not a serialized OpList");
  }
  GraphImport import(graph, def, producer_ops, options);
  RAMET_RETURN_IF_ERROR(import.Prepare());
  return import.Commit();
}

}  // namespace

StatusOr<ImportResults> ImportGraphDef(Graph& graph, std::string_view graph_def,
                                       const ImportOptions& options) {
  RAMET_ASSIGN_OR_RETURN(const GraphDefView def, GraphDefView::Parse(graph_def));
  return ImportView(graph, def, options);
}

StatusOr<ImportResults> ImportGraphDefFile(Graph& graph, const std::string& path,
                                           const ImportOptions& options) {
  RAMET_ASSIGN_OR_RETURN(const std::string bytes, ReadMessageFile(path));
  const StatusOr<GraphDefView> def = GraphDefView::Parse(bytes);
  if (!def.ok()) return CannotParse(path, def.status());
  auto results = ImportView(graph, *def, options);
  if (!results.ok()) return results.status().WithContext(path);
  return results;
}

}  // namespace ramet
