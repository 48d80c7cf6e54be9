#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ramet/edit/clone/state_roles.h"
#include "ramet/graph/graph_data.h"

namespace ramet {

// A variable of the source to copy, as determined from its operations and the graph's records.
struct SelectedVariable {
  NodeId node;
  VariableId record = -1;  // -1 if it has no record
  NodeId initializer = -1;
  NodeId read = -1;
};

// A StateIndex lists the variables and other resources of a graph, and finds the operations that
// use one of them. The graph's lock is held during use. Not thread-safe.
class StateIndex {
 public:
  // A state and an operation that takes it as its first input to read, assign, check or update it.
  using User = std::pair<NodeId, NodeId>;

  // AppendNamed requires `by_name`.
  StateIndex(const GraphData& impl, bool by_name);
  // All variables and resources, in id order.
  const std::vector<NodeId>& state() const { return state_; }
  std::span<const User> UsersOf(NodeId state) const;
  SelectedVariable Describe(NodeId variable) const;
  // Appends the states for which the session uses this name.
  void AppendNamed(const std::string& name, std::vector<NodeId>* states) const;

  StateRole RoleOf(NodeId id) const { return roles_.Of(impl_.nodes[id].op); }
  bool IsVariable(NodeId id) const { return RoleOf(id) == StateRole::kVariable; }
  bool IsState(NodeId id) const;
  // Reports whether `user` fills the table `state` when it is initialized.
  bool Initializes(NodeId user, NodeId state) const;
  // Reports whether a clone of the state includes `user`: its initializers and checks.
  bool BelongsTo(NodeId user, NodeId state) const;

 private:
  std::string NameOf(NodeId state) const;
  VariableId RecordOf(NodeId variable) const;
  bool IsRestored(NodeId assign) const;

  const GraphData& impl_;
  mutable StateRoles roles_;
  std::vector<NodeId> state_;
  std::vector<User> users_;                              // sorted
  std::vector<std::pair<NodeId, VariableId>> recorded_;  // by variable, sorted
  std::unordered_multimap<std::string, NodeId> named_;
};

}  // namespace ramet
