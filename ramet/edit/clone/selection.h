#pragma once

#include <memory>
#include <unordered_set>
#include <vector>

#include "ramet/edit/clone/boundary.h"
#include "ramet/edit/clone/function_states.h"
#include "ramet/edit/clone/state_index.h"
#include "ramet/edit/clone/stripped_parts.h"

namespace ramet {

// A table of the source to copy, and the operations that fill it when it is initialized.
struct SelectedTable {
  NodeId node;
  std::vector<NodeId> initializers;
};

// The state that a clone copies, and the nodes of the state that it shares (FindSharedState).
struct SelectedState {
  std::vector<SelectedVariable> variables;
  std::vector<SelectedTable> tables;
  std::unordered_set<NodeId> shared;
};

// A CloneSelection is the part of the source graph to copy. It refers to the source and, once
// selected, does not change.
class CloneSelection {
 public:
  CloneSelection(const Graph& source, const CloneOptions& options);
  // Looks up the elements that the options name. Locks the source during the call. Errors are those
  // of Clone.
  Status Resolve() { return boundary_.Resolve(); }
  // Adds everything that these need. Locks the source during the call. Errors are those of Clone.
  Status Select();

  const Graph* source() const { return &source_; }
  const GraphData& impl() const { return impl_; }
  // In id order.
  const std::vector<NodeId>& nodes() const { return nodes_; }
  bool IsSelected(NodeId id) const { return selected_[static_cast<size_t>(id)] != 0; }
  const CloneBoundary& boundary() const { return boundary_; }
  const SelectedState& state() const { return state_; }
  const StrippedParts& stripped() const { return stripped_; }
  // Enters of frames whose loop is not part of the clone. They become Identity or RefIdentity.
  const std::unordered_set<NodeId>& open_enters() const { return open_enters_; }
  FunctionStates& functions() { return *functions_; }

 private:
  void StripTraining(const StateIndex& index);
  Status CollectVariables(const StateIndex& index);
  void CollectTables(const StateIndex& index);

  const Graph& source_;
  const GraphData& impl_;
  const CloneOptions& options_;
  CloneBoundary boundary_;
  StrippedParts stripped_;
  std::unique_ptr<FunctionStates> functions_;
  std::vector<uint8_t> selected_;
  std::vector<NodeId> nodes_;
  SelectedState state_;
  std::unordered_set<NodeId> open_enters_;
};

}  // namespace ramet
