#include "ramet/edit/clone/state_index.h"

#include <algorithm>

namespace ramet {

StateIndex::StateIndex(const GraphData& impl, bool by_name) : impl_(impl) {
  for (size_t v = 0; v < impl_.variables.size(); ++v) {
    recorded_.emplace_back(impl_.variables[v].variable.op().id(), static_cast<VariableId>(v));
  }
  std::ranges::sort(recorded_);
  for (NodeId id = 0; id < static_cast<NodeId>(impl_.nodes.size()); ++id) {
    if (RoleOf(id) == StateRole::kNone) continue;
    if (IsState(id)) {
      state_.push_back(id);
    } else if (impl_.nodes[id].num_inputs > 0) {
      const NodeId state = impl_.inputs(id)[0].node;
      if (IsState(state)) users_.emplace_back(state, id);
    }
  }
  std::ranges::sort(users_);
  if (!by_name) return;
  for (NodeId id : state_) named_.emplace(NameOf(id), id);
}

bool StateIndex::IsState(NodeId id) const {
  const StateRole role = RoleOf(id);
  return role == StateRole::kVariable || role == StateRole::kResource;
}

std::span<const StateIndex::User> StateIndex::UsersOf(NodeId state) const {
  const auto first = std::ranges::lower_bound(users_, state, {}, &User::first);
  const auto last =
      std::find_if(first, users_.end(), [&](const User& user) { return user.first != state; });
  return {first, last};
}

// Returns the first record of the variable, or -1.
VariableId StateIndex::RecordOf(NodeId variable) const {
  const auto found = std::ranges::lower_bound(recorded_, std::pair(variable, VariableId{0}));
  return found != recorded_.end() && found->first == variable ? found->second : -1;
}

bool StateIndex::IsRestored(NodeId assign) const {
  auto inputs = impl_.inputs(assign);
  return inputs.size() > 1 && impl_.nodes[inputs[1].node].op->name().starts_with("Restore");
}

SelectedVariable StateIndex::Describe(NodeId variable) const {
  SelectedVariable v{variable};
  v.record = RecordOf(variable);
  if (v.record >= 0) {
    const VariableRecord& r = impl_.variables[v.record];
    v.initializer = r.initializer.id();
    v.read = r.snapshot.op().id();
    return v;
  }
  const std::string name(impl_.nodes[variable].name);
  auto better = [&](NodeId id, NodeId than, std::string_view part) {
    if (than < 0) return true;
    const bool named = impl_.nodes[id].name == StrCat(name, part);
    const bool other_named = impl_.nodes[than].name == StrCat(name, part);
    return named != other_named ? named : id < than;
  };
  for (const auto& [of, user] : UsersOf(variable)) {
    const StateRole role = RoleOf(user);
    if (role == StateRole::kAssign && !IsRestored(user) && better(user, v.initializer, "/Assign")) {
      v.initializer = user;
    }
    const bool is_identity = impl_.nodes[user].op->name() == "Identity";
    const std::string_view part = is_identity ? "/read" : "/Read/ReadVariableOp";
    if (role == StateRole::kRead && better(user, v.read, part)) v.read = user;
  }
  return v;
}

// Returns the name that the session uses for the state.
std::string StateIndex::NameOf(NodeId state) const {
  const std::string shared = impl_.nodes[state].attrs->GetOr<std::string>("shared_name", "");
  return shared.empty() ? std::string(impl_.nodes[state].name) : shared;
}

void StateIndex::AppendNamed(const std::string& name, std::vector<NodeId>* states) const {
  auto [first, last] = named_.equal_range(name);
  for (auto it = first; it != last; ++it) states->push_back(it->second);
}

bool StateIndex::Initializes(NodeId user, NodeId state) const {
  const StateRole role = RoleOf(user);
  const bool filled_once = impl_.nodes[state].op->name().starts_with("HashTable");
  return role == StateRole::kInitializes || (role == StateRole::kImports && filled_once);
}

bool StateIndex::BelongsTo(NodeId user, NodeId state) const {
  return RoleOf(user) == StateRole::kCheck || Initializes(user, state);
}

}  // namespace ramet
