#include "ramet/edit/clone/copied_collections.h"

#include <algorithm>

#include "ramet/graph/edit_graph.h"

namespace ramet {

CollectionCopier::CollectionCopier(const CloneSelection& selection, const CloneOptions& options,
                                   const CloneMapping& mapping)
    : selection_(selection),
      options_(options),
      mapping_(mapping),
      source_(GraphDataOf(*mapping.source)),
      target_(MutableGraphDataOf(*mapping.target)) {}

bool IsWantedCollection(const CloneOptions& options, const std::string& key) {
  return !options.collections || std::ranges::count(*options.collections, key) > 0;
}

std::string CollectionCopier::Renamed(std::string_view name, bool* found) const {
  const std::string_view mark = name.starts_with('^') ? "^" : "";
  std::string_view op = name.substr(mark.size());
  const size_t colon = op.find(':');
  const std::string_view index = colon == std::string_view::npos ? "" : op.substr(colon);
  op = op.substr(0, colon);
  const NodeId found_node = source_.FindNode(op);
  const NodeId copy = found_node < 0 ? -1 : mapping_.Copy(found_node);
  if (copy >= 0) return StrCat(mark, target_.nodes[copy].name, index);
  *found = false;
  return std::string(name);
}

std::optional<CollectionItem> CollectionCopier::CopyMessage(const std::string& key,
                                                            const OpaqueMessage& message) const {
  bool found = true;
  auto rename = [&](std::string_view name) { return Renamed(name, &found); };
  if (!message.type_url.empty()) {
    if (!IsAssetUrl(message.type_url)) return std::nullopt;
    auto bytes = RenameAssetBytes(message.bytes, rename);
    if (!bytes.ok() || !found) return std::nullopt;
    return OpaqueMessage{message.type_url, *bytes};
  }
  const CollectionProto kind = CollectionProtoOf(key);
  if (kind != CollectionProto::kQueueRunner && kind != CollectionProto::kSaver) return std::nullopt;
  auto bytes = RenameMessage(kind, message.bytes, rename);
  if (!bytes.ok() || !found) return std::nullopt;
  return OpaqueMessage{"", *bytes};
}

std::optional<CollectionItem> CollectionCopier::Copy(const std::string& key,
                                                     const CollectionItem& item) const {
  if (const auto* tensor = std::get_if<Output>(&item)) {
    const Output copy = selection_.stripped().IsStripped(tensor->op().id())
                            ? mapping_.Of(*tensor)
                            : mapping_.Copied(*tensor);
    if (copy.valid()) return copy;
  } else if (const auto* op = std::get_if<Operation>(&item)) {
    const Operation copy = mapping_.Of(*op);
    if (copy.valid()) return copy;
  } else if (const auto* v = std::get_if<Variable>(&item)) {
    const VariableId copy = mapping_.CopyOfVariable(v->id());
    if (copy >= 0) return Variable(mapping_.target, copy);
  } else if (const auto* message = std::get_if<OpaqueMessage>(&item)) {
    return CopyMessage(key, *message);
  }
  return std::nullopt;
}

void CollectionCopier::CopyAll() {
  std::vector<std::pair<std::string, CollectionItem>> added;
  for (const auto& [key, items] : source_.collections.all()) {
    if (!IsWantedCollection(options_, key)) continue;
    for (const CollectionItem& item : items) {
      if (auto copy = Copy(key, item)) added.emplace_back(key, *std::move(copy));
    }
  }
  for (auto& [key, item] : added) target_.collections.Add(key, std::move(item));
  AddBareVariables();
}

// Variables without a record in the source are in no collection. Their copies join "variables".
void CollectionCopier::AddBareVariables() {
  if (!IsWantedCollection(options_, graph_keys::kGlobalVariables)) return;
  const CopiedVariables& variables = mapping_.variables;
  for (size_t i = 0; i < variables.list.size(); ++i) {
    if (variables.origins[i].id >= 0) continue;
    target_.collections.Add(graph_keys::kGlobalVariables, variables.list[i].copy);
  }
}

}  // namespace ramet
