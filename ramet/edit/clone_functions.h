#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ramet/edit/clone_mapping.h"
#include "ramet/graph/function_library.h"

namespace ramet {

class CloneNames;

// The state that functions of a graph's library make by name: variables, tables, queues in their
// bodies, and in those of the functions that they call. Looks at each function once.
class FunctionStates {
 public:
  explicit FunctionStates(const GraphImpl& impl);
  bool empty() const { return functions_.empty(); }
  const GraphDef& library() const { return library_; }

  // The functions that a node calls, by its op or by attrs.
  std::vector<std::string> CalledBy(const NodeRecord& node);
  // The names of the state behind a function, gradient functions included; its own and that of what
  // it calls.
  struct State {
    std::string name;
    bool is_variable;
    bool operator==(const State&) const = default;
  };
  const std::vector<State>& Behind(const std::string& function);
  const FunctionDef* Find(const std::string& function) const;
  // What stands for `gradient` in GradientDefs; "" if there is none.
  std::string GradientOf(const std::string& function) const;
  std::vector<std::string> CalledIn(const FunctionDef& def) const;
  // The name that a node of a body has its state under; "" if the state is its own at each use.
  static std::string NameOfState(const NodeDef& node);

 private:
  bool MayCall(const Op* op);

  GraphDef library_;
  std::unordered_map<std::string, const FunctionDef*> functions_;
  std::unordered_map<std::string, std::vector<State>> behind_;
  std::unordered_map<const Op*, bool> callers_;
};

// Copies of those functions that hold state, for a clone with state of its own: nodes of the clone
// call them, and their state has names as the clone's own has.
class CloneFunctions {
 public:
  CloneFunctions(const CloneOptions& options, CloneNames& names, const CloneMapping& mapping)
      : options_(options), names_(names), mapping_(mapping) {}

  // Adds the copies of what the nodes call to `library`. Both graphs are locked.
  void Copy(const std::vector<NodeId>& nodes, FunctionStates& states, GraphDef* library);
  // The copy's name; null if the function has none.
  const std::string* CopyOf(const std::string& function) const;
  // Whether any function has a copy.
  bool empty() const { return copies_.empty(); }
  // The attrs with the copies in the place of functions that have one; whether there are any.
  bool ChangeAttrs(AttrMap* attrs) const;

 private:
  bool HoldsOwnState(const std::vector<FunctionStates::State>& states) const;
  void Name(const std::string& function, const FunctionStates& states);
  FunctionDef CopyOfDef(const FunctionDef& def);
  void Rename(AttrValue* value) const;

  const CloneOptions& options_;
  CloneNames& names_;
  const CloneMapping& mapping_;
  std::unordered_map<std::string, std::string> copies_;
  std::vector<std::string> named_;  // the keys of copies_ in the order of naming
  std::unordered_set<std::string> given_;
};

}  // namespace ramet
