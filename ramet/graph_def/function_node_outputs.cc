#include "ramet/graph_def/function_node_outputs.h"

#include "ramet/wire/op_def_proto.h"

namespace ramet {

StatusOr<const OpSchema*> FunctionNodeOutputs::SchemaOf(const std::string& op) {
  if (const Op* known = OpRegistry::Global().Find(op)) return &known->schema();
  auto [it, added] = schemas_.try_emplace(op);
  if (!added) return &it->second;
  const FunctionDef* function = library_.Find(op);
  if (function == nullptr) return OpRegistry::Global().Lookup(op).status();
  RAMET_ASSIGN_OR_RETURN(it->second, OpSchemaFromProto(function->signature()));
  return &it->second;
}

// Returns the attrs that determine the outputs of a node.
StatusOr<AttrMap> FunctionNodeOutputs::OutputAttrs(const OpSchema& schema, const NodeDef& node) {
  AttrMap attrs;
  for (const ArgSchema& arg : schema.outputs) {
    for (const std::string& name : {arg.type_attr, arg.number_attr, arg.type_list_attr}) {
      if (name.empty() || attrs.Find(name) != nullptr) continue;
      const AttrSchema* attr = schema.FindAttr(name);
      auto given = node.attr().find(name);
      if (given != node.attr().end()) {
        RAMET_ASSIGN_OR_RETURN(Attr value, KnownAttrFromProto(given->second, &budget_));
        attrs.Set(name, std::move(value));
      } else if (attr != nullptr && attr->has_default) {
        attrs.Set(name, attr->default_value);
      }
    }
  }
  return attrs;
}

StatusOr<std::vector<FunctionNodeOutputs::Arg>> FunctionNodeOutputs::Of(const NodeDef& node) {
  RAMET_ASSIGN_OR_RETURN(const OpSchema* schema, SchemaOf(node.op()));
  RAMET_ASSIGN_OR_RETURN(const AttrMap attrs, OutputAttrs(*schema, node));
  std::vector<Arg> outputs;
  for (const ArgSchema& arg : schema->outputs) {
    RAMET_ASSIGN_OR_RETURN(const std::vector<DType> types, schema->Expand({arg}, attrs));
    outputs.push_back({arg.name, static_cast<int>(types.size())});
  }
  return outputs;
}

}  // namespace ramet
