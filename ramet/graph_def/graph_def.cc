#include "ramet/graph_def/graph_def.h"

#include "ramet/base/file.h"
#include "ramet/graph_def/graph_writer.h"
#include "ramet/wire/message_file.h"
#include "ramet/wire/op_def_proto.h"

namespace ramet {

StatusOr<std::string> ExportGraphDef(const Graph& graph, const GraphDefOptions& options) {
  GraphBytes written;
  {
    ReaderLock lock(graph.impl().mutex);
    RAMET_RETURN_IF_ERROR(GraphWriter(graph.impl(), {.def = options}).Write(&written));
  }
  if (!options.as_text) return std::move(written.bytes);
  GraphDef def;
  if (!def.ParseFromString(written.bytes)) return Internal("the serialized graph does not parse");
  return MessageToBytes(def, true);
}

StatusOr<std::string> ExportNodeDef(const Operation& operation) {
  const GraphImpl& impl = operation.graph()->impl();
  ReaderLock lock(impl.mutex);
  return GraphWriter(impl, {}).NodeBytes(operation.id());
}

StatusOr<std::string> ExportOpDef(const Op& op) {
  OpDef def;
  RAMET_RETURN_IF_ERROR(OpSchemaToProto(op.schema(), &def));
  def.set_description(op.schema().doc);
  return def.SerializeAsString();
}

Status ExportGraphDefFile(const Graph& graph, const std::string& path,
                          const GraphDefOptions& options) {
  RAMET_ASSIGN_OR_RETURN(std::string bytes, ExportGraphDef(graph, options));
  return AtomicWriteFile(path, bytes);
}

}  // namespace ramet
