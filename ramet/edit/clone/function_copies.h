#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ramet/edit/clone/function_states.h"
#include "ramet/edit/clone/mapping.h"
#include "ramet/edit/clone/names.h"
#include "ramet/edit/clone_options.h"

namespace ramet {

// A FunctionCopies has the copies of functions that hold state, for a clone with its own state.
// Nodes of the clone call the copies, whose state is named like the clone's.
class FunctionCopies {
 public:
  FunctionCopies(const CloneOptions& options, CloneNames& names, const CloneMapping& mapping)
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
  std::unordered_map<std::string, int> next_numbers_;
};

}  // namespace ramet
