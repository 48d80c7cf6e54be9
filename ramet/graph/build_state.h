#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ramet/base/export.h"
#include "ramet/graph/operation.h"
#include "ramet/graph/variable_scope.h"

namespace ramet {

class ControlFlowContext;

// One open control_dependencies scope: its controllers, and the nodes made under it. Consumers of
// those nodes need no edge to the controllers.
struct ControlScope {
  std::vector<Operation> controllers = {};
  std::vector<bool> made_inside = {};  // by node id, from first_inside on
  NodeId first_inside = 0;             // the first node made under it
  bool clears = false;                 // control_dependencies(None); also leaves every context
  ControlFlowContext* left = nullptr;  // if `clears`: the context that was current before
};

// The names that are in use in a graph, ignoring case.
struct UsedNames {
  std::unordered_map<std::string, int> in_use;  // lower case
  // Names of imported or cloned nodes, and of nodes added after them, that are not in `in_use` yet.
  // They are added when the next unique name is requested.
  std::vector<std::string_view> imported;
};

// The branches and loops of a graph.
struct ControlFlowState {
  std::vector<std::unique_ptr<ControlFlowContext>> contexts;
  ControlFlowContext* current = nullptr;  // to which nodes are being added
  std::unordered_map<NodeId, ControlFlowContext*> context_of;
};

// The scopes that are open while a graph is built. Owned by the graph and changed through Scope.
class RAMET_EXPORT BuildState {
 public:
  BuildState();
  ~BuildState();
  void PushControls(ControlScope scope);
  void PopControls();
  // Returns the control inputs that the open scopes add to a node with these inputs.
  std::vector<Operation> ControlsFor(const std::vector<Output>& inputs) const;
  // Notes that `op` was made under the open control scopes, so that its readers need not wait for
  // their controllers.
  void NoteUnderControls(const Operation& op);

  std::string name_stack;  // "a/b", without a trailing slash
  UsedNames names;
  std::vector<std::optional<std::string>> devices;  // nullopt hides the outer ones
  std::vector<Operation> colocations;
  std::vector<ControlScope> controls;
  VariableScopeState variable_scope;
  std::unordered_map<std::string, int> variable_scope_counts;
  std::unordered_map<std::string, VariableId> variable_store;
  ControlFlowState control_flow;
  std::string variable_group;  // "loc:@v" while the nodes of variable v are made
};

}  // namespace ramet
