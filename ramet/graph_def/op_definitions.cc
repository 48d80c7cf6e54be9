#include "ramet/graph_def/op_definitions.h"

#include <map>
#include <set>

#include "ramet/graph/inferred_op.h"
#include "ramet/wire/op_def_proto.h"

namespace ramet {

const OpSchema* FindSchema(const GraphImpl& impl, const std::string& op) {
  if (const Op* known = OpRegistry::Global().Find(op)) return &known->schema();
  auto foreign = impl.foreign_ops.find(op);
  if (foreign == impl.foreign_ops.end()) return nullptr;
  const OpSchema& schema = foreign->second->schema();
  return IsInferred(*foreign->second) ? nullptr : &schema;
}

Status StrippedOpList(const GraphImpl& impl, const std::unordered_set<const Op*>& ops,
                      const FunctionDefLibrary& library, const OpList& carried, OpList* list) {
  std::unordered_set<std::string_view> used, functions;
  for (const Op* op : ops) used.insert(op->name());
  for (const FunctionDef& function : library.function()) {
    functions.insert(function.signature().name());
    for (const NodeDef& node : function.node_def()) used.insert(node.op());
  }
  std::map<std::string_view, const OpDef*> known;
  for (const OpDef& op : carried.op()) known.emplace(op.name(), &op);
  OpList written;
  for (std::string_view name : std::set<std::string_view>(used.begin(), used.end())) {
    if (functions.contains(name)) continue;
    if (auto it = known.find(name); it != known.end()) {
      *written.add_op() = *it->second;
    } else if (const OpSchema* schema = FindSchema(impl, std::string(name))) {
      RAMET_RETURN_IF_ERROR(OpSchemaToProto(*schema, written.add_op()));
    }
  }
  *list = std::move(written);
  return OkStatus();
}

}  // namespace ramet
