#include "ramet/graph_def/collection_import.h"

#include <algorithm>
#include <cstdlib>

#include "ramet/base/log.h"
#include "ramet/graph/names.h"
#include "ramet/graph_def/export_scope.h"
#include "ramet/graph_def/message_names.h"
#include "ramet/graph_def/variable_def.h"
#include "ramet/wire/tensor_ref.h"

namespace ramet {

namespace {

// Reports whether files written by this version of TensorFlow say which variables are trainable.
bool StatesTrainable(const std::string& tensorflow_version) {
  if (tensorflow_version.empty()) return true;
  char* rest = nullptr;
  const long major = std::strtol(tensorflow_version.c_str(), &rest, 10);
  const long minor = *rest == '.' ? std::strtol(rest + 1, nullptr, 10) : 0;
  return major > 1 || (major == 1 && minor >= 9);
}

}  // namespace

CollectionImport::CollectionImport(Graph* graph, const GraphImpl& impl,
                                   const NameResolver& resolver, const MetaGraphDef& meta)
    : graph_(graph),
      impl_(impl),
      resolver_(resolver),
      meta_(meta),
      trainable_is_stated_(StatesTrainable(meta.meta_info_def().tensorflow_version())) {}

Status CollectionImport::Read() {
  std::vector<std::string> keys;
  for (const auto& [key, proto] : meta_.collection_def()) keys.push_back(key);
  auto trainable_first = [](const std::string& key) {
    return std::pair(key != graph_keys::kTrainableVariables, key);
  };
  std::ranges::sort(keys, {}, trainable_first);
  for (const std::string& key : keys) {
    if (key == kUnboundInputsCollection) continue;
    Status read = ReadCollection(key, meta_.collection_def().at(key));
    if (!read.ok()) return read.WithContext(StrCat("collection '", key, "'"));
  }
  return OkStatus();
}

Status CollectionImport::ReadCollection(const std::string& key, const CollectionDef& proto) {
  switch (proto.kind_case()) {
    case CollectionDef::kNodeList: return ReadNodes(key, proto.node_list());
    case CollectionDef::kInt64List:
      for (int64_t v : proto.int64_list().value()) Add(key, v);
      return OkStatus();
    case CollectionDef::kFloatList:
      for (float v : proto.float_list().value()) Add(key, v);
      return OkStatus();
    case CollectionDef::kAnyList: return ReadAnys(key, proto.any_list());
    case CollectionDef::kBytesList:
      switch (CollectionProtoOf(key)) {
        case CollectionProto::kVariable: return ReadVariables(key, proto.bytes_list());
        case CollectionProto::kNone:
          for (const std::string& text : proto.bytes_list().value()) {
            Add(key, JoinScope(resolver_.prefix(), text));
          }
          return OkStatus();
        default: return ReadMessages(key, proto.bytes_list());
      }
    case CollectionDef::KIND_NOT_SET: break;
  }
  LogWarning("Cannot identify data type for collection ", key, ". Skipping.");
  unknown_.push_back(key);
  return OkStatus();
}

Status CollectionImport::ReadNodes(const std::string& key, const CollectionDef::NodeList& list) {
  for (const std::string& name : list.value()) {
    const bool tensor = TensorRef::Parse(name).node.size() != name.size();
    if (tensor) {
      RAMET_ASSIGN_OR_RETURN(Output output, resolver_.FindTensor(name));
      Add(key, output);
    } else {
      RAMET_ASSIGN_OR_RETURN(Operation op, resolver_.FindOperation(name));
      Add(key, op);
    }
  }
  return OkStatus();
}

Status CollectionImport::ReadAnys(const std::string& key, const CollectionDef::AnyList& list) {
  for (const auto& any : list.value()) {
    if (any.type_url().empty()) return DataLoss("an item of its any_list has no type_url");
    OpaqueMessage message{any.type_url(), any.value()};
    if (IsAssetUrl(any.type_url())) {
      auto rename = [&](std::string_view name) { return resolver_.Rename(name); };
      RAMET_ASSIGN_OR_RETURN(message.bytes, RenameAssetBytes(any.value(), rename));
    }
    Add(key, std::move(message));
  }
  return OkStatus();
}

Status CollectionImport::ReadVariables(const std::string& key,
                                       const CollectionDef::BytesList& list) {
  for (const std::string& bytes : list.value()) {
    auto known = variables_by_bytes_.find(bytes);
    if (known == variables_by_bytes_.end()) {
      RAMET_ASSIGN_OR_RETURN(Variable variable, ReadVariable(key, bytes));
      known = variables_by_bytes_.emplace(bytes, variable).first;
    }
    Add(key, known->second);
  }
  return OkStatus();
}

StatusOr<Variable> CollectionImport::ReadVariable(const std::string& key,
                                                  const std::string& bytes) {
  VariableDef proto;
  if (!proto.ParseFromString(bytes)) {
    return DataLoss("an item of ", bytes.size(), " bytes is not a VariableDef");
  }
  if (!trainable_is_stated_) proto.set_trainable(key == graph_keys::kTrainableVariables);
  auto record = VariableFromProto(proto, resolver_);
  if (!record.ok()) {
    return record.status().WithContext(StrCat("variable '", proto.variable_name(), "'"));
  }
  const size_t id = impl_.variables.size() + variables_.size();
  variables_.push_back(*std::move(record));
  return Variable(graph_, static_cast<VariableId>(id));
}

Status CollectionImport::ReadMessages(const std::string& key,
                                      const CollectionDef::BytesList& list) {
  auto rename = [this](std::string_view name) { return resolver_.Rename(name); };
  for (const std::string& bytes : list.value()) {
    RAMET_ASSIGN_OR_RETURN(std::string renamed,
                           RenameMessage(CollectionProtoOf(key), bytes, rename));
    Add(key, OpaqueMessage{"", std::move(renamed)});
  }
  return OkStatus();
}

Status CollectionImport::RenameFrames(GraphImpl* impl) const {
  if (resolver_.prefix().empty()) return OkStatus();
  auto rename_frame = [&](const WhileContextDef& context) {
    const std::string frame = resolver_.Rename(context.context_name());
    for (const std::string& value : context.values_def().values()) {
      const NodeId id = resolver_.FindNode(TensorRef::Parse(value).node);
      if (id < 0) continue;
      NodeRecord& node = impl->nodes[id];
      if (node.op->name() != "Enter" && node.op->name() != "RefEnter") continue;
      AttrMap attrs = *node.attrs;
      attrs.Set("frame_name", frame);
      node.attrs = std::make_shared<const AttrMap>(std::move(attrs));
    }
  };
  auto each = [&]<class M>(const char* key, M message) -> Status {
    auto it = meta_.collection_def().find(key);
    if (it == meta_.collection_def().end()) return OkStatus();
    for (const std::string& bytes : it->second.bytes_list().value()) {
      if (!message.ParseFromString(bytes)) {
        return DataLoss("collection '", key, "' cannot be parsed");
      }
      ForEachWhileContext(message, rename_frame);
    }
    return OkStatus();
  };
  RAMET_RETURN_IF_ERROR(each(graph_keys::kWhileContext, WhileContextDef()));
  return each(graph_keys::kCondContext, CondContextDef());
}

std::vector<Variable> CollectionImport::Commit(GraphImpl* impl) {
  std::vector<Variable> added;
  for (VariableRecord& record : variables_) {
    added.push_back(Variable(graph_, static_cast<VariableId>(impl->variables.size())));
    impl->variables.push_back(std::move(record));
  }
  for (Item& item : items_) impl->collections.Add(item.key, std::move(item.item));
  return added;
}

}  // namespace ramet
