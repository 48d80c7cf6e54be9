#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "ramet/edit/clone/boundary.h"
#include "ramet/edit/clone/function_states.h"
#include "ramet/edit/clone/state_index.h"
#include "ramet/edit/clone/stripped_parts.h"

namespace ramet {

// A NodeMarker marks the nodes that a clone copies: the requested ones, and everything that these
// need up to the boundary, with the initializers of state, and whole loops. The lock of the source
// is held during use.
class NodeMarker {
 public:
  // Nodes in `shared` are never marked. `marks` has an element for each node of the source.
  NodeMarker(const GraphData& impl, const CloneOptions& options, const CloneBoundary& boundary,
             const StateIndex& index, FunctionStates& functions, const StrippedParts& stripped,
             const std::unordered_set<NodeId>& shared, std::vector<uint8_t>* marks);
  // \error kInvalidArgument: there are no operations in CloneOptions::scope.
  Status Mark();

 private:
  void MarkAll();
  void Mark(NodeId id);
  bool IsMarked(NodeId id) const { return marks_[static_cast<size_t>(id)] != 0; }
  Status MarkScope();
  void MarkNeeded();
  void MarkInputsOf(NodeId id);
  void MarkStateOf(NodeId state);
  void MarkStateOfCalls(NodeId id);
  void MarkLoops();
  bool MarkBranches();

  const GraphData& impl_;
  const CloneOptions& options_;
  const CloneBoundary& boundary_;
  const StateIndex& index_;
  FunctionStates& functions_;
  const StrippedParts& stripped_;
  const std::unordered_set<NodeId>& shared_;
  std::vector<uint8_t>& marks_;
  // Marked nodes whose inputs are still to be examined, and state whose users are.
  std::vector<NodeId> pending_nodes_, pending_state_;
};

}  // namespace ramet
