#include "ramet/graph/import_attrs.h"

#include <algorithm>

namespace ramet {
namespace {

constexpr std::string_view kGroupPrefix = "loc:@";

// Whether `value` is what the writer of the file takes when the attr is not there.
bool IsProducerDefault(const OpDef* producer, const std::string& name, const Attr& value) {
  if (producer == nullptr) return false;
  for (const OpDef::AttrDef& attr : producer->attr()) {
    if (attr.name() != name || !attr.has_default_value()) continue;
    AttrBudget budget;
    auto standard = AttrFromProto(attr.default_value(), &budget);
    return standard.ok() && *standard == value;
  }
  return false;
}

// Everything of the node that a NodeRecord has no place for; "" when there is nothing.
std::string NodeExtras(const NodeDef& node) {
  const auto& unknown = node.GetReflection()->GetUnknownFields(node);
  if (!node.has_experimental_debug_info() && !node.has_experimental_type() && unknown.empty()) {
    return "";
  }
  NodeDef extras;
  if (node.has_experimental_debug_info()) {
    *extras.mutable_experimental_debug_info() = node.experimental_debug_info();
  }
  if (node.has_experimental_type()) *extras.mutable_experimental_type() = node.experimental_type();
  extras.GetReflection()->MutableUnknownFields(&extras)->MergeFrom(unknown);
  return extras.SerializeAsString();
}

Status InNode(const Status& status, const NodeDef& node) {
  return status.WithSuffix(StrCat("; NodeDef: {{node ", node.name(), "}}"));
}

}  // namespace

StatusOr<AttrMap> ImportAttrs::Read(const NodeDef& node, const ImportOp& op) {
  sorted_.clear();
  for (const auto& entry : node.attr()) sorted_.push_back(&entry);
  std::ranges::sort(sorted_, {}, [](const auto* entry) -> const std::string& { return entry->first; });
  AttrMap attrs;
  for (const auto* entry : sorted_) {
    const std::string& name = entry->first;
    if (name == kOutputShapesAttr) continue;
    auto attr = AttrFromProto(entry->second, &budget_);
    if (!attr.ok()) return InNode(attr.status().WithContext(StrCat("attr '", name, "'")), node);
    if (name == "_class") {
      RAMET_ASSIGN_OR_RETURN(attr, RenameColocations(node, *std::move(attr)));
    } else if (op.producer != nullptr && op.schema != nullptr && !name.starts_with('_') &&
               op.schema->FindAttr(name) == nullptr &&
               IsProducerDefault(op.producer, name, *attr)) {
      continue;
    }
    attrs.Set(name, *std::move(attr));
  }
  if (std::string extras = NodeExtras(node); !extras.empty()) attrs.Set(kNodeExtrasAttr, extras);
  if (op.schema == nullptr) return attrs;
  for (const AttrSchema& attr : op.schema->attrs) {
    if (attr.has_default && attrs.Find(attr.name) == nullptr) attrs.Set(attr.name, attr.default_value);
  }
  if (Status checked = op.schema->CheckAttrs(attrs); !checked.ok()) return InNode(checked, node);
  return attrs;
}

StatusOr<Attr> ImportAttrs::RenameColocations(const NodeDef& node, Attr classes) const {
  const auto* groups = classes.get<std::vector<std::string>>();
  if (groups == nullptr) return classes;
  std::vector<std::string> renamed;
  for (const std::string& group : *groups) {
    if (!group.starts_with(kGroupPrefix)) {
      renamed.push_back(group);
      continue;
    }
    const int32_t target = names_.Find(std::string_view(group).substr(kGroupPrefix.size()));
    if (target < 0) {
      return InvalidArgument("Node '", node.name(), "' expects to be colocated with unknown node '",
                             group.substr(kGroupPrefix.size()), "'");
    }
    renamed.push_back(StrCat(kGroupPrefix, names_.final_name(target)));
  }
  return Attr(std::move(renamed));
}

std::vector<std::string_view> ColocatedWith(const NodeDef& node) {
  std::vector<std::string_view> names;
  auto classes = node.attr().find("_class");
  if (classes == node.attr().end()) return names;
  for (std::string_view group : classes->second.list().s()) {
    if (!group.starts_with(kGroupPrefix)) continue;
    group.remove_prefix(kGroupPrefix.size());
    if (group != node.name()) names.push_back(group);
  }
  return names;
}

}  // namespace ramet
