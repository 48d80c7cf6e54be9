#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ramet/edit/clone_mapping.h"

namespace ramet {

// What an op has to do with state, as far as clones care.
enum class StateRole : uint8_t {
  kNone,
  kVariable,     // VariableV2, VarHandleOp: makes a variable
  kResource,     // another op with a shared_name
  kAssign,       // Assign, AssignVariableOp
  kCheck,        // IsVariableInitialized, VarIsInitializedOp
  kRead,         // Identity, ReadVariableOp
  kInitializes,  // InitializeTable...
  kImports,      // LookupTableImport: initializes a table that is filled once
  kApply         // ApplyAdam, ...: an optimizer's update
};

// Roles by op, each looked at once.
class StateRoles {
 public:
  StateRole Of(const Op* op) {
    auto [it, added] = roles_.try_emplace(op);
    if (added) it->second = Classify(*op);
    return it->second;
  }
  static StateRole Classify(const Op& op);

 private:
  std::unordered_map<const Op*, StateRole> roles_;
};

// A variable of the source that gets a copy, as its operations and the graph's records tell.
struct SelectedVariable {
  NodeId node;
  VariableId record = -1;  // -1: no record names it
  NodeId initializer = -1;
  NodeId read = -1;
};

// The part of the source graph that is copied.
class CloneSelection {
 public:
  CloneSelection(const Graph& source, const CloneOptions& options);
  // Looks up what the options name. Takes and leaves the graph's lock.
  // \error see Clone.
  Status Resolve();
  // \error see Clone.
  Status Select();

  // In the order of their ids.
  const std::vector<NodeId>& nodes() const { return nodes_; }
  const std::vector<SelectedVariable>& variables() const { return variables_; }
  const std::vector<Endpoint>& cuts() const { return cuts_; }
  const std::vector<std::pair<Endpoint, Output>>& replacements() const { return replacements_; }
  const std::unordered_set<NodeId>& shared() const { return shared_; }
  // Enters into frames whose loop is not part of the clone: they become Identity.
  const std::unordered_set<NodeId>& open_enters() const { return open_enters_; }
  bool IsSelected(NodeId id) const { return selected_[static_cast<size_t>(id)] != 0; }

 private:
  StatusOr<Endpoint> ResolveTensor(const CloneElement& element, const char* argument) const;
  StatusOr<NodeId> ResolveOperation(const CloneElement& element, const char* argument) const;
  Status ResolveInputs();
  Status ResolveReplacements();
  bool IsCut(Endpoint e) const {
    return has_cut_[static_cast<size_t>(e.node)] != 0 && cut_keys_.contains(EndpointKey(e));
  }
  void Cut(Endpoint e);
  Status FindState();
  bool Initializes(NodeId user, NodeId state);
  Status ShareState();
  void Mark(NodeId id);
  void MarkNeeded();
  void MarkStateOf(NodeId id);
  bool MarkBranches();
  void MarkLoops();
  SelectedVariable Describe(NodeId node) const;
  Status CollectVariables();
  Status FindOpenFrames();
  Status CheckCutsInLoops() const;
  std::string TensorName(Endpoint e) const;

  const Graph& source_;
  const GraphImpl& impl_;
  const CloneOptions& options_;
  StateRoles roles_;
  bool whole_ = false;
  std::vector<NodeId> starts_;
  std::vector<Endpoint> cuts_;
  std::vector<std::pair<Endpoint, Output>> replacements_;
  std::unordered_set<uint64_t> cut_keys_;
  std::vector<uint8_t> has_cut_;
  std::vector<uint8_t> selected_;
  std::vector<NodeId> stack_, pending_state_;
  std::unordered_multimap<NodeId, NodeId> users_;  // of state, as FindState explains
  std::unordered_map<NodeId, VariableId> record_of_;
  std::vector<NodeId> state_;
  std::unordered_set<NodeId> shared_;
  std::vector<NodeId> nodes_;
  std::vector<SelectedVariable> variables_;
  std::unordered_set<NodeId> open_enters_;
};

}  // namespace ramet
