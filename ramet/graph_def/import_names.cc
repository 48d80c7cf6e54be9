#include "ramet/graph_def/import_names.h"

#include <algorithm>
#include <bit>
#include <unordered_set>

#include "ramet/graph/names.h"

namespace ramet {
namespace {

// Groups of [A-Za-z0-9.][A-Za-z0-9_.\-/]* joined by '>'.
bool IsImportableName(std::string_view name) {
  if (!IsValidOpName(name)) return false;
  for (size_t at = name.find('>'); at != std::string_view::npos; at = name.find('>', at + 1)) {
    if (!IsValidOpName(name.substr(at + 1, 1))) return false;
  }
  return true;
}

// Returns the names of the nodes that are in a scope, sorted.
std::vector<std::string_view> NamesInScopes(const GraphImpl& impl) {
  std::vector<std::string_view> names;
  for (const NodeRecord& node : impl.nodes) {
    if (node.name.find('/') != std::string_view::npos) names.push_back(node.name);
  }
  std::ranges::sort(names);
  return names;
}

// Reports whether one of `names`, which are sorted, is in the scope `name`. A set of all scopes
// would take quadratic time and memory in the length of a name.
bool IsScope(const std::vector<std::string_view>& names, std::string_view name) {
  const std::string scope = StrCat(name, "/");
  const auto found = std::ranges::lower_bound(names, std::string_view(scope));
  return found != names.end() && found->starts_with(scope);
}

}  // namespace

StatusOr<std::string> ImportPrefix(const GraphImpl& impl, std::string_view name) {
  const std::string& stack = impl.build_state.name_stack;
  if (name.empty()) return std::string();
  const bool verbatim = name.ends_with('/');
  if (verbatim) name.remove_suffix(1);
  if (!IsValidScopeName(name, !verbatim && !stack.empty())) {
    return InvalidArgument("'", name,
                           "' is not a valid scope name: letters, digits and ._-/> are "
                           "allowed, and the first character must be a letter, digit or dot");
  }
  if (verbatim) return std::string(name);
  BuildState& state = const_cast<BuildState&>(impl.build_state);
  return UniqueFullName(state, JoinScope(stack, name), false);
}

size_t ImportNames::FindSlot(std::string_view name, uint32_t hash) const {
  const size_t mask = slots_.size() - 1;
  size_t at = hash & mask;
  while (slots_[at].position >= 0 &&
         (slots_[at].hash != hash || names_[slots_[at].position] != name)) {
    at = (at + 1) & mask;
  }
  return at;
}

Status ImportNames::Init(const GraphImpl& impl, const GraphDefView& def,
                         const std::string& prefix) {
  const size_t n = static_cast<size_t>(def.node_size());
  slots_.resize(std::bit_ceil(2 * n + 1));
  finals_.reserve(n);
  names_.reserve(n);
  for (const NodeView& node : def.nodes()) {
    if (!IsImportableName(node.name)) {
      return InvalidArgument("Node '", node.name, "': Node name contains invalid characters");
    }
    const uint32_t hash = FoldedHash(node.name);
    Slot& slot = slots_[FindSlot(node.name, hash)];
    if (slot.position >= 0) return InvalidArgument("Node '", node.name, "' is not unique");
    slot = {hash, static_cast<int32_t>(finals_.size())};
    names_.push_back(node.name);
    finals_.push_back(prefix.empty() ? node.name
                                     : renamed_.emplace_back(StrCat(prefix, "/", node.name)));
  }
  if (!impl.nodes.empty()) MakeUnique(impl, !prefix.empty());
  return OkStatus();
}

void ImportNames::MakeUnique(const GraphImpl& impl, bool under_prefix) {
  const std::vector<std::string_view> scoped = NamesInScopes(impl);
  auto in_graph = [&](std::string_view name) {
    return impl.FindNode(name) >= 0 || IsScope(scoped, name);
  };
  std::vector<size_t> taken;
  for (size_t i = 0; i < finals_.size(); ++i) {
    if (in_graph(finals_[i])) taken.push_back(i);
  }
  if (taken.empty()) return;
  std::unordered_set<std::string_view> imported;
  if (under_prefix) {
    imported.insert(finals_.begin(), finals_.end());
  }
  for (size_t i : taken) {
    auto in_file = [&](const std::string& name) {
      return imported.contains(name) || (!under_prefix && Find(name) >= 0);
    };
    std::string candidate;
    int count = 0;
    do {
      candidate = StrCat(finals_[i], "_", ++count);
    } while (in_graph(candidate) || in_file(candidate));
    finals_[i] = renamed_.emplace_back(std::move(candidate));
    imported.insert(finals_[i]);
  }
}

}  // namespace ramet
