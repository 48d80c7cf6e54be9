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

// One open control_dependencies scope: its controllers, and what was made under it (whose consumers
// need no second edge; spec: graph-semantics 1.4).
struct ControlScope {
  std::vector<Operation> controllers = {};
  std::vector<bool> made_inside = {};  // by node id, from first_inside on
  NodeId first_inside = 0;             // the first node that was made under it
  bool clears = false;                 // control_dependencies(None): outside of every context, too
  ControlFlowContext* left = nullptr;  // the context that was current, if it clears
};

// The scopes that are open while a graph is built; owned by the graph, changed through Scope.
class RAMET_EXPORT BuildState {
 public:
  BuildState();
  ~BuildState();
  void PushControls(ControlScope scope);
  void PopControls();
  // The control inputs that the open scopes give to a node with these inputs.
  std::vector<Operation> ControlsFor(const std::vector<Output>& inputs) const;
  // `op` was made under the open control scopes: what reads it need not wait for them.
  void NoteUnderControls(const Operation& op);

  std::string name_stack;                             // "a/b", without the slash at the end
  std::unordered_map<std::string, int> names_in_use;  // lower case
  // Names of nodes since an import or a clone that are not in names_in_use yet: nobody may ask for
  // another name.
  std::vector<std::string_view> imported_names;
  std::vector<std::optional<std::string>> devices;  // nullopt hides the outer ones
  std::vector<Operation> colocations;
  std::vector<ControlScope> controls;
  VariableScopeState variable_scope;
  std::unordered_map<std::string, int> variable_scope_counts;
  std::unordered_map<std::string, VariableId> variable_store;
  // Branches and loops: all, the one that nodes are added to, and the one of each node in one.
  std::vector<std::unique_ptr<ControlFlowContext>> contexts;
  ControlFlowContext* control_flow = nullptr;
  std::unordered_map<NodeId, ControlFlowContext*> context_of;
  std::string variable_group;  // "loc:@v" while the parts of variable v are made
};

}  // namespace ramet
