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

// The state that functions of a graph's library create by name: variables, tables and queues in
// their bodies and in those of their callees. Each function is examined once.
class FunctionStates {
 public:
  explicit FunctionStates(const GraphImpl& impl);
  bool empty() const { return functions_.empty(); }
  const GraphDef& library() const { return library_; }

  // Returns the functions that a node calls through its op or attrs.
  std::vector<std::string> CalledBy(const NodeRecord& node);
  // The state of a function, its callees and its gradient functions, by name.
  struct State {
    std::string name;
    bool is_variable;
    bool operator==(const State&) const = default;
  };
  const std::vector<State>& Behind(const std::string& function);
  const FunctionDef* Find(const std::string& function) const;
  // Returns the gradient function of a function (GradientDef); "" if there is none.
  std::string GradientOf(const std::string& function) const;
  std::vector<std::string> CalledIn(const FunctionDef& def) const;
  // Returns the name of the state of a node in a body; "" if each use has its own state.
  static std::string NameOfState(const NodeDef& node);

 private:
  bool MayCall(const Op* op);

  GraphDef library_;
  std::unordered_map<std::string, const FunctionDef*> functions_;
  std::unordered_map<std::string, std::vector<State>> behind_;
  std::unordered_map<const Op*, bool> callers_;
};

// Copies of the functions that hold state, for a clone with its own state. Nodes of the clone call
// the copies, whose state is named like the clone's.
class CloneFunctions {
 public:
  CloneFunctions(const CloneOptions& options, CloneNames& names, const CloneMapping& mapping)
      : options_(options), names_(names), mapping_(mapping) {}

  // Adds copies of the functions that the nodes call to `library`. The caller holds the locks of
  // both graphs.
  void Copy(const std::vector<NodeId>& nodes, FunctionStates& states, GraphDef* library);
  // Returns the copy's name; null if the function has no copy.
  const std::string* CopyOf(const std::string& function) const;
  // Reports whether there are no copies.
  bool empty() const { return copies_.empty(); }
  // Replaces functions in `attrs` by their copies. Returns whether anything changed.
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
  std::vector<std::string> named_;  // the keys of copies_ in insertion order
  std::unordered_set<std::string> given_;
};

}  // namespace ramet
