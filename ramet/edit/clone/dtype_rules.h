#pragma once

#include <unordered_map>
#include <vector>

#include "ramet/edit/clone/selection.h"
#include "ramet/edit/clone_options.h"

namespace ramet {

// A DtypeRules evaluates CloneOptions::dtype for the selected operations.
class DtypeRules {
 public:
  using Map = CloneDtype::Map;
  DtypeRules(const CloneSelection& selection, const CloneDtype& dtype)
      : selection_(selection), dtype_(dtype) {}

  // Evaluates the rules. Holds no lock, since a rule may call the program.
  // \error kInvalidArgument: a rule names a dtype that is not floating. Names `dtype`.
  Status Evaluate();
  // Applies the rule of a loop variable's Merge to its other nodes, because the variable has a
  // single dtype from Enter to Exit. The caller holds the lock of the source.
  void UnifyLoops();
  // Returns the dtypes that change in an operation; empty if it is not selected.
  const Map& Of(NodeId id) const;

 private:
  const Map no_rule_;
  const CloneSelection& selection_;
  const CloneDtype& dtype_;
  std::vector<Map> evaluated_;  // by position in selection.nodes(), if the rule is a function
  std::unordered_map<NodeId, size_t> positions_;
  std::unordered_map<NodeId, NodeId> merges_;  // parts of loops, with the Merge of their value
};

}  // namespace ramet
