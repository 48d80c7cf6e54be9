#include "ramet/edit/clone/names.h"

#include <algorithm>

#include "ramet/base/free_name.h"
#include "ramet/graph/edit_graph.h"
#include "ramet/graph/names.h"

namespace ramet {
namespace {

// Like UniqueFullName, but without adding all imported names to UsedNames::in_use.
std::string UniqueScope(const BuildState& state, const std::string& scope) {
  const std::string key = LowerCase(scope);
  std::unordered_set<std::string> near;
  for (std::string_view name : state.names.imported) {
    if (name.size() < key.size() || (name[0] | 0x20) != (key[0] | 0x20)) continue;
    std::string lower = LowerCase(name.substr(0, key.size()));
    if (lower == key && name.find('/', key.size()) == std::string_view::npos) {
      near.insert(LowerCase(name));
    }
  }
  auto taken = [&](const std::string& s) {
    return state.names.in_use.contains(s) || near.contains(s);
  };
  if (!taken(key)) return scope;
  int i = 1;
  while (taken(StrCat(key, "_", i))) ++i;
  return StrCat(scope, "_", i);
}

}  // namespace

Status CloneNames::Init(Graph& target, const CloneOptions& options) {
  GraphData& impl = MutableGraphDataOf(target);
  target_ = &impl;
  std::string scope = options.dst_scope;
  const bool exact = scope.ends_with('/');
  if (exact) scope.pop_back();
  const bool nested = !exact && !impl.build_state.name_stack.empty();
  if (!scope.empty() && !IsValidScopeName(scope, nested)) {
    return InvalidArgument("clone: dst_scope: '", scope, "' is not a valid scope name");
  }
  if (!exact && !scope.empty()) {
    scope = UniqueScope(impl.build_state, JoinScope(impl.build_state.name_stack, scope));
  }
  scope_ = scope;
  prefix_ = scope.empty() ? "" : StrCat(scope, "/");
  if (!options.scope.empty()) {
    strip_ = options.scope.ends_with('/') ? options.scope : StrCat(options.scope, "/");
  }
  const bool taken = std::ranges::any_of(
      impl.nodes, [&](const NodeRecord& n) { return n.name.starts_with(prefix_); });
  // Stripping a scope, requested names and the names of casts can cause collisions.
  fresh_ = !taken && strip_.empty() && options.dtype.none() && options.input_map.empty();
  if (taken) FindTexts(impl);
  return OkStatus();
}

void CloneNames::FindTexts(const GraphData& impl) {
  for (const NodeRecord& node : impl.nodes) {
    for (const char* attr : {"frame_name", "shared_name"}) {
      const Attr* found = node.attrs->Find(attr);
      const std::string* text = found == nullptr ? nullptr : found->get<std::string>();
      if (text != nullptr && !text->empty()) texts_in_use_.insert(*text);
    }
  }
}

std::string CloneNames::Mapped(std::string_view name) const {
  if (!strip_.empty() && name.starts_with(strip_)) name.remove_prefix(strip_.size());
  return StrCat(prefix_, name);
}

Status CloneNames::AppendNode(std::string_view name, std::string* block) {
  if (fresh_) {
    *block += prefix_;
    *block += name;
    return OkStatus();
  }
  const std::string mapped = Mapped(name);
  if (!IsValidOpName(mapped)) {
    return InvalidArgument("clone: dst_scope: '", mapped, "' is not a valid name outside a scope");
  }
  auto taken = [&](const std::string& candidate) {
    return target_->FindNode(candidate) >= 0 || given_.contains(candidate);
  };
  std::string candidate = FreeName(mapped, taken, target_->node_names.next_numbers());
  *block += candidate;
  given_.insert(std::move(candidate));
  return OkStatus();
}

std::string CloneNames::Text(const std::string& text) {
  auto [it, added] = texts_.try_emplace(text);
  if (!added) return it->second;
  auto taken = [&](const std::string& candidate) { return texts_in_use_.contains(candidate); };
  it->second = FreeName(Mapped(text), taken, &next_text_numbers_);
  texts_in_use_.insert(it->second);
  return it->second;
}

}  // namespace ramet
