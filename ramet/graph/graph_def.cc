#include "ramet/graph/graph_def.h"

#include "ramet/base/file.h"
#include "ramet/graph/graph_writer.h"
#include "ramet/graph/import_ops.h"
#include "ramet/graph/message_file.h"
#include "ramet/graph/op_def_proto.h"

namespace ramet {

std::string ExportScope::Strip(std::string_view name) const {
  if (scope_.empty()) return std::string(name);
  std::string_view mark;
  if (name.starts_with('^')) mark = name.substr(0, 1);
  if (name.starts_with("loc:@")) mark = name.substr(0, 5);
  std::string_view rest = name.substr(mark.size());
  if (!rest.starts_with(scope_) || !rest.substr(scope_.size()).starts_with('/')) {
    return std::string(name);
  }
  return StrCat(mark, rest.substr(scope_.size() + 1));
}

const OpSchema* FindSchema(const GraphImpl& impl, const std::string& op) {
  if (const Op* known = OpRegistry::Global().Find(op)) return &known->schema();
  auto foreign = impl.foreign_ops.find(op);
  if (foreign == impl.foreign_ops.end()) return nullptr;
  const OpSchema& schema = foreign->second->schema();
  return schema.doc == kInferredOpDoc ? nullptr : &schema;
}

StatusOr<std::string> ExportGraphDef(const Graph& graph, const GraphDefOptions& options) {
  GraphBytes written;
  {
    std::shared_lock lock(graph.impl().mutex);
    RAMET_RETURN_IF_ERROR(GraphWriter(graph.impl(), {.def = options}).Write(&written));
  }
  if (!options.as_text) return std::move(written.bytes);
  GraphDef def;
  if (!def.ParseFromString(written.bytes)) return Internal("the serialized graph does not parse");
  return MessageToBytes(def, true);
}

StatusOr<std::string> ExportNodeDef(const Operation& operation) {
  const GraphImpl& impl = operation.graph()->impl();
  std::shared_lock lock(impl.mutex);
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
