#include "ramet/graph_def/import_ops.h"

#include "ramet/graph/function_library.h"
#include "ramet/wire/op_def_proto.h"

namespace ramet {

ImportOps::ImportOps(const GraphImpl& impl, const GraphDef& def, const OpList& producer_ops)
    : impl_(impl), def_(def) {
  for (const OpDef& op : producer_ops.op()) producers_.emplace(op.name(), &op);
}

StatusOr<const ImportOp*> ImportOps::Find(std::string_view name) {
  auto [it, added] = ops_.try_emplace(name);
  if (added) RAMET_RETURN_IF_ERROR(Define(name, &it->second));
  return &it->second;
}

Status ImportOps::Define(std::string_view name, ImportOp* op) {
  if (name.empty()) return InvalidArgument("a node has an empty op type");
  op->deprecated = FindDeprecation(name);
  auto producer = producers_.find(name);
  if (producer != producers_.end()) op->producer = producer->second;
  op->op = OpRegistry::Global().Find(name);
  if (auto known = impl_.foreign_ops.find(std::string(name));
      op->op == nullptr && known != impl_.foreign_ops.end()) {
    op->op = known->second.get();
  }
  if (op->op == nullptr) {
    const OpDef* definition = FindFunction(name);
    if (definition == nullptr) definition = op->producer;
    OpSchema schema;
    schema.name = std::string(name);
    schema.doc = kInferredOpDoc;
    if (definition != nullptr) {
      RAMET_ASSIGN_OR_RETURN(schema, OpSchemaFromProto(*definition));
    }
    op->op = added_.emplace_back(std::make_unique<Op>(std::move(schema))).get();
  }
  const OpSchema& schema = op->op->schema();
  op->schema = IsInferred(*op->op) ? nullptr : &schema;
  return OkStatus();
}

const OpDef* ImportOps::FindFunction(std::string_view name) {
  if (!functions_read_) {
    functions_read_ = true;
    AddFunctions(def_);
  }
  auto it = functions_.find(name);
  if (it != functions_.end()) return it->second;
  const FunctionDef* earlier = impl_.library->Find(name);
  return earlier == nullptr ? nullptr : &earlier->signature();
}

void ImportOps::AddFunctions(const GraphDef& def) {
  for (const FunctionDef& f : def.library().function()) {
    functions_.emplace(f.signature().name(), &f.signature());
  }
}

void ImportOps::MoveTo(GraphImpl* impl) {
  for (std::unique_ptr<Op>& op : added_) {
    std::string name = op->name();
    impl->foreign_ops.emplace(std::move(name), std::move(op));
  }
  added_.clear();
}

}  // namespace ramet
