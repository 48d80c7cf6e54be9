#include "ramet/edit/clone_nodes.h"

namespace ramet {
namespace {

bool IsGroup(const std::string& text) { return text.starts_with("loc:@"); }

}  // namespace

// Attrs are scattered in memory, so they are prefetched well before they are read: first the map,
// then its entries.
void CloneNodes::PrefetchAttrs(size_t position) const {
  constexpr size_t kMaps = 16, kEntries = 8;
  const std::vector<NodeId>& nodes = selection_.nodes();
  if (position + kMaps >= nodes.size()) return;
  __builtin_prefetch(source_.nodes[nodes[position + kMaps]].attrs.get());
  const AttrMap& soon = *source_.nodes[nodes[position + kEntries]].attrs;
  if (!soon.empty()) __builtin_prefetch(&*soon.begin());
}

// Many nodes, mostly neighbors, share attrs. The changed attrs are looked up by address without
// reading the originals.
std::shared_ptr<const AttrMap> CloneNodes::AttrsOf(NodeId id, const OpTraits& traits) {
  const std::shared_ptr<const AttrMap>& before = dtypes_.Attrs(id);
  const bool frozen = selection_.IsFrozenBatchNorm(id);
  const Tensor* names = traits.may_hold_names ? saves_.NamesOf(id) : nullptr;
  if (frozen || names != nullptr) {
    AttrMap changed = *before;
    if (frozen) changed.Set("is_training", false);
    if (names != nullptr) changed.Set("value", *names);
    ChangeAttrs(traits, *before, &changed);
    return std::make_shared<const AttrMap>(std::move(changed));
  }
  KnownAttrs& known = known_attrs_[(reinterpret_cast<uintptr_t>(before.get()) / sizeof(AttrMap)) %
                                   known_attrs_.size()];
  if (known.before != before.get()) known = {before.get(), ChangedAttrs(before, traits)};
  return known.after;
}

std::shared_ptr<const AttrMap> CloneNodes::ChangedAttrs(
    const std::shared_ptr<const AttrMap>& before, const OpTraits& traits) {
  const bool may_change = traits.has_frame || traits.has_shared_name || traits.calls_functions;
  if (!may_change && before->Find("_class") == nullptr) return before;
  AttrMap changed = *before;
  if (!ChangeAttrs(traits, *before, &changed)) return before;
  return std::make_shared<const AttrMap>(std::move(changed));
}

bool CloneNodes::ChangeAttrs(const OpTraits& traits, const AttrMap& before, AttrMap* attrs) {
  bool changed = ChangeGroups(before, attrs);
  if (traits.calls_functions && functions_.ChangeAttrs(attrs)) changed = true;
  for (const char* name : {"frame_name", "shared_name"}) {
    if (name[0] == 'f' ? !traits.has_frame : !traits.has_shared_name) continue;
    const Attr* attr = before.Find(name);
    const std::string* text = attr == nullptr ? nullptr : attr->get<std::string>();
    if (text == nullptr ? name[0] == 'f' || !traits.is_handle
                        : text->empty() && !traits.is_handle) {
      continue;
    }
    if (text != nullptr && *text == kAnonymousName) continue;
    attrs->Set(name, names_.Text(text == nullptr ? std::string() : *text));
    changed = true;
  }
  return changed;
}

// Groups led by operations that are not cloned are kept within the same graph unless devices are
// requested; otherwise they are dropped ("").
std::string CloneNodes::NewGroup(const std::string& group) const {
  if (!IsGroup(group)) return group;
  const NodeId leader = source_.FindNode(std::string_view(group).substr(5));
  if (leader >= 0 && mapping_.IsCloned(leader)) return StrCat("loc:@", NewName(leader));
  const bool keep = same_ && std::holds_alternative<std::monostate>(options_.device.rule());
  return keep ? group : "";
}

bool CloneNodes::ChangeGroups(const AttrMap& before, AttrMap* attrs) {
  const Attr* attr = before.Find("_class");
  const auto* groups = attr == nullptr ? nullptr : attr->get<std::vector<std::string>>();
  if (groups == nullptr) return false;
  std::vector<std::string> changed;
  changed.reserve(groups->size());
  for (const std::string& group : *groups) {
    if (group != last_group_) {
      last_group_ = group;
      last_new_group_ = NewGroup(group);
    }
    if (!last_new_group_.empty()) changed.push_back(last_new_group_);
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
