#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ramet/graph/operation.h"
#include "ramet/graph/variable_scope.h"

namespace ramet {

// One open control_dependencies scope: its controllers, and what was made under it (whose consumers
// need no second edge; spec: graph-semantics 1.4).
struct ControlScope {
  std::vector<Operation> controllers;
  std::vector<bool> made_inside;  // by node id
  bool clears = false;            // control_dependencies(None)
};

// The scopes that are open while a graph is built; owned by the graph, changed through Scope.
class BuildState {
 public:
  std::string name_stack;                             // "a/b", without the slash at the end
  std::unordered_map<std::string, int> names_in_use;  // lower case
  // Names of nodes that an import added and that are not in names_in_use yet: nobody may ask for
  // another name.
  std::vector<std::string_view> imported_names;
  std::vector<std::optional<std::string>> devices;  // nullopt hides the outer ones
  std::vector<Operation> colocations;
  std::vector<ControlScope> controls;
  VariableScopeState variable_scope;
  std::unordered_map<std::string, int> variable_scope_counts;
  std::unordered_map<std::string, VariableId> variable_store;
  std::string variable_group;  // "loc:@v" while the parts of variable v are made
};

}  // namespace ramet
