#include "ramet/graph_def/collection_export.h"

#include "ramet/base/log.h"
#include "ramet/graph_def/message_names.h"
#include "ramet/graph_def/variable_def.h"

namespace ramet {
namespace {

// Writes the items of one collection. The first item determines the kind.
class CollectionWriter {
 public:
  CollectionWriter(const GraphImpl& impl, const std::string& key, const GraphWriterOptions& options,
                   CollectionDef* proto)
      : impl_(impl), options_(options), expected_(CollectionProtoOf(key)), proto_(*proto) {}

  // Returns false if an item has a different kind.
  bool Write(const std::vector<CollectionItem>& items) {
    for (const CollectionItem& item : items) {
      if (!Included(item)) continue;
      const CollectionDef::KindCase kind = KindOf(item);
      if (proto_.kind_case() == CollectionDef::KIND_NOT_SET) SetKind(kind);
      if (kind != proto_.kind_case() || !WriteItem(item)) return false;
    }
    return true;
  }

 private:
  bool Included(const CollectionItem& item) const {
    std::string name;
    if (const auto* output = std::get_if<Output>(&item)) name = TensorName(impl_, *output);
    if (const auto* op = std::get_if<Operation>(&item)) name = OperationName(impl_, *op);
    if (const auto* v = std::get_if<Variable>(&item)) name = NameOf(*v);
    if (const auto* text = std::get_if<std::string>(&item)) name = *text;
    if (name.empty()) return true;
    if (options_.exclude && options_.exclude->contains(name.substr(0, name.rfind(':'))))
      return false;
    return options_.scope.Includes(name) || name.starts_with(kUnboundInputPrefix);
  }

  std::string NameOf(const Variable& v) const {
    return TensorName(impl_, impl_.variables[v.id()].variable);
  }

  CollectionDef::KindCase KindOf(const CollectionItem& item) const {
    if (std::holds_alternative<int64_t>(item)) return CollectionDef::kInt64List;
    if (std::holds_alternative<float>(item)) return CollectionDef::kFloatList;
    if (std::holds_alternative<std::string>(item)) return CollectionDef::kBytesList;
    if (const auto* message = std::get_if<OpaqueMessage>(&item)) {
      return message->type_url.empty() ? CollectionDef::kBytesList : CollectionDef::kAnyList;
    }
    const bool as_message =
        std::holds_alternative<Variable>(item) && expected_ == CollectionProto::kVariable;
    return as_message ? CollectionDef::kBytesList : CollectionDef::kNodeList;
  }

  void SetKind(CollectionDef::KindCase kind) {
    switch (kind) {
      case CollectionDef::kNodeList: proto_.mutable_node_list(); break;
      case CollectionDef::kBytesList: proto_.mutable_bytes_list(); break;
      case CollectionDef::kInt64List: proto_.mutable_int64_list(); break;
      case CollectionDef::kFloatList: proto_.mutable_float_list(); break;
      default: proto_.mutable_any_list();
    }
  }

  bool WriteItem(const CollectionItem& item) {
    return std::visit([this](const auto& value) { return WriteValue(value); }, item);
  }

  bool WriteName(const std::string& name) {
    if (expected_ == CollectionProto::kVariable) return false;
    proto_.mutable_node_list()->add_value(options_.scope.Strip(name));
    return true;
  }

  bool WriteValue(const Output& v) { return WriteName(TensorName(impl_, v)); }
  bool WriteValue(const Operation& v) { return WriteName(OperationName(impl_, v)); }
  bool WriteValue(const std::shared_ptr<const CollectionObject>&) { return false; }
  bool WriteValue(int64_t v) { return proto_.mutable_int64_list()->add_value(v), true; }
  bool WriteValue(float v) { return proto_.mutable_float_list()->add_value(v), true; }
  bool WriteValue(const std::string& v) { return proto_.mutable_bytes_list()->add_value(v), true; }

  bool WriteValue(const Variable& v) {
    if (expected_ != CollectionProto::kVariable) return WriteName(NameOf(v));
    VariableDef def;
    VariableToProto(impl_, impl_.variables[v.id()], options_.scope, &def);
    proto_.mutable_bytes_list()->add_value(def.SerializeAsString());
    return true;
  }

  bool WriteValue(const OpaqueMessage& v) {
    if (!v.type_url.empty()) {
      auto* any = proto_.mutable_any_list()->add_value();
      any->set_type_url(v.type_url);
      any->set_value(v.bytes);
      if (options_.scope.scope().empty() || !IsAssetUrl(v.type_url)) return true;
      auto renamed = RenameAssetBytes(
          v.bytes, [this](std::string_view name) { return options_.scope.Strip(name); });
      if (renamed.ok()) any->set_value(*std::move(renamed));
      return renamed.ok();
    }
    const ExportScope& scope = options_.scope;
    const bool has_names =
        expected_ != CollectionProto::kNone && expected_ != CollectionProto::kVariable;
    if (scope.scope().empty() || !has_names) {
      proto_.mutable_bytes_list()->add_value(v.bytes);
      return true;
    }
    auto inside = MessageInScope(expected_, v.bytes, scope.scope());
    if (!inside.ok()) return false;
    if (!*inside) return true;
    auto renamed =
        RenameMessage(expected_, v.bytes, [&](std::string_view name) { return scope.Strip(name); });
    if (renamed.ok()) proto_.mutable_bytes_list()->add_value(*renamed);
    return renamed.ok();
  }

  const GraphImpl& impl_;
  const GraphWriterOptions& options_;
  const CollectionProto expected_;
  CollectionDef& proto_;
};

bool IsEmpty(const CollectionDef& proto) {
  return proto.node_list().value().empty() && proto.bytes_list().value().empty() &&
         proto.int64_list().value().empty() && proto.float_list().value().empty() &&
         proto.any_list().value().empty();
}

}  // namespace

bool CollectionToProto(const GraphImpl& impl, const std::string& key,
                       const std::vector<CollectionItem>& items, const GraphWriterOptions& options,
                       CollectionDef* proto) {
  proto->Clear();
  if (CollectionWriter(impl, key, options, proto).Write(items)) return !IsEmpty(*proto);
  LogWarning("Issue encountered when serializing ", key,
             ". Type is unsupported, or the types of the "
             "items don't match field type in CollectionDef. The collection is not written.");
  return false;
}

}  // namespace ramet
