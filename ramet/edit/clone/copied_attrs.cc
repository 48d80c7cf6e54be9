#include "ramet/edit/clone/copied_attrs.h"

namespace ramet {

CopiedAttrs::CopiedAttrs(const CloneSelection& selection, const DtypeChanges& dtypes,
                         const FunctionCopies& functions, const SavedNames& saved_names,
                         ColocationGroups groups, CloneNames& names)
    : selection_(selection),
      dtypes_(dtypes),
      functions_(functions),
      saved_names_(saved_names),
      groups_(std::move(groups)),
      names_(names) {}

// Attrs are scattered in memory, so they are prefetched well before they are read: first the map,
// then its entries.
void CopiedAttrs::Prefetch(size_t position) const {
  constexpr size_t kMaps = 16, kEntries = 8;
  const GraphData& impl = selection_.impl();
  const std::vector<NodeId>& nodes = selection_.nodes();
  if (position + kMaps >= nodes.size()) return;
  __builtin_prefetch(impl.nodes[nodes[position + kMaps]].attrs.get());
  const AttrMap& soon = *impl.nodes[nodes[position + kEntries]].attrs;
  if (!soon.empty()) __builtin_prefetch(&*soon.begin());
}

// Many nodes, mostly neighbors, share attrs. The changed attrs are looked up by address without
// reading the originals.
std::shared_ptr<const AttrMap> CopiedAttrs::Of(NodeId id, const CopiedOp& op) {
  const std::shared_ptr<const AttrMap>& before = dtypes_.Attrs(id);
  const bool frozen = selection_.stripped().IsFrozenBatchNorm(id);
  const std::optional<Tensor> value = op.is_constant ? NewValue(id) : std::nullopt;
  if (frozen || value) {
    AttrMap changed = *before;
    if (frozen) changed.Set("is_training", false);
    if (value) changed.Set("value", *value);
    Change(op, *before, &changed);
    return std::make_shared<const AttrMap>(std::move(changed));
  }
  KnownAttrs& known =
      known_[(reinterpret_cast<uintptr_t>(before.get()) / sizeof(AttrMap)) % known_.size()];
  if (known.before != before.get()) known = {before.get(), Changed(before, op)};
  return known.after;
}

// Returns the value of a constant that differs in the clone: the name list of a saver, or the path
// of an asset. (A session knows that path only while it loads the SavedModel.)
std::optional<Tensor> CopiedAttrs::NewValue(NodeId constant) const {
  if (const Tensor* names = saved_names_.NamesOf(constant)) return *names;
  const auto& paths = selection_.impl().asset_paths;
  const auto path = paths.empty() ? paths.end() : paths.find(constant);
  if (path == paths.end()) return std::nullopt;
  return Tensor(path->second);
}

std::shared_ptr<const AttrMap> CopiedAttrs::Changed(const std::shared_ptr<const AttrMap>& before,
                                                    const CopiedOp& op) {
  const bool may_change = op.has_frame || op.has_shared_name || op.calls_functions;
  if (!may_change && before->Find("_class") == nullptr) return before;
  AttrMap changed = *before;
  if (!Change(op, *before, &changed)) return before;
  return std::make_shared<const AttrMap>(std::move(changed));
}

bool CopiedAttrs::Change(const CopiedOp& op, const AttrMap& before, AttrMap* attrs) {
  bool changed = groups_.Change(before, attrs);
  if (op.calls_functions && functions_.ChangeAttrs(attrs)) changed = true;
  if (op.has_frame && ChangeText("frame_name", op, before, attrs)) changed = true;
  if (op.has_shared_name && ChangeText("shared_name", op, before, attrs)) changed = true;
  return changed;
}

// Renames a frame or a shared resource. A resource without a shared_name is named after its node,
// which has a new name anyway, except for that of a VarHandleOp.
bool CopiedAttrs::ChangeText(const char* name, const CopiedOp& op, const AttrMap& before,
                             AttrMap* attrs) {
  const std::string text = before.GetOr<std::string>(name, "");
  if ((text.empty() && !op.is_handle) || text == kAnonymousName) return false;
  attrs->Set(name, names_.Text(text));
  return true;
}

}  // namespace ramet
