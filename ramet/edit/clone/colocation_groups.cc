#include "ramet/edit/clone/colocation_groups.h"

#include "ramet/op/colocation.h"

namespace ramet {

ColocationGroups::ColocationGroups(const CloneMapping& mapping, const NodeNameBlock& node_names,
                                   const CloneDevice& device)
    : mapping_(mapping),
      node_names_(node_names),
      keeps_outside_(mapping.same_graph() &&
                     std::holds_alternative<std::monostate>(device.rule())) {}

// Groups led by operations that are not cloned are kept within the same graph unless devices are
// requested; otherwise they are dropped ("").
std::string ColocationGroups::Renamed(const std::string& group) const {
  if (!group.starts_with(kColocationPrefix)) return group;
  const NodeId leader = GraphDataOf(*mapping_.source)
                            .FindNode(std::string_view(group).substr(kColocationPrefix.size()));
  if (leader >= 0 && mapping_.IsCloned(leader))
    return StrCat(kColocationPrefix, node_names_.OfCopy(leader));
  return keeps_outside_ ? group : "";
}

bool ColocationGroups::Change(const AttrMap& before, AttrMap* attrs) {
  const Attr* attr = before.Find("_class");
  const auto* groups = attr == nullptr ? nullptr : attr->get<std::vector<std::string>>();
  if (groups == nullptr) return false;
  std::vector<std::string> changed;
  changed.reserve(groups->size());
  for (const std::string& group : *groups) {
    if (group != last_group_) {
      last_group_ = group;
      last_renamed_ = Renamed(group);
    }
    if (!last_renamed_.empty()) changed.push_back(last_renamed_);
  }
  if (changed == *groups) return false;
  if (changed.empty()) {
    attrs->Erase("_class");
  } else {
    attrs->Set("_class", std::move(changed));
  }
  return true;
}

}  // namespace ramet
