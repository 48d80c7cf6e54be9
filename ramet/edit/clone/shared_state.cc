#include "ramet/edit/clone/shared_state.h"

namespace ramet {
namespace {

void AddWithUsers(const StateIndex& index, NodeId state, std::unordered_set<NodeId>* shared) {
  shared->insert(state);
  if (index.IsVariable(state)) {
    const SelectedVariable v = index.Describe(state);
    for (NodeId part : {v.initializer, v.read}) {
      if (part >= 0) shared->insert(part);
    }
  }
  for (const auto& [of, user] : index.UsersOf(state)) {
    if (index.BelongsTo(user, state)) shared->insert(user);
  }
}

}  // namespace

StatusOr<std::unordered_set<NodeId>> FindSharedState(const Graph& source, const StateIndex& index,
                                                     const CloneOptions& options) {
  std::unordered_set<NodeId> shared;
  if (options.variables.all_own() && options.resources.all_own()) return shared;
  const bool same = options.into == nullptr || options.into == &source;
  for (NodeId id : index.state()) {
    const bool is_variable = index.IsVariable(id);
    const std::string name(GraphDataOf(source).nodes[id].name);
    const CloneStateRule& rule = is_variable ? options.variables : options.resources;
    if (rule.Of(name) == CloneState::kOwn) continue;
    if (!same) {
      return InvalidArgument("clone: ", is_variable ? "variables" : "resources", ": '", name,
                             "' cannot be shared with a different graph");
    }
    AddWithUsers(index, id, &shared);
  }
  return shared;
}

}  // namespace ramet
