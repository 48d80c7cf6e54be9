#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ramet/edit/clone_functions.h"
#include "ramet/edit/clone_mapping.h"

namespace ramet {

// The shared_name of handles that create a new variable each time (ResourceHandle::ANONYMOUS_NAME).
inline constexpr std::string_view kAnonymousName = "cd2c89b7-88b7-44c8-ad83-06c2a9158347";

// An op's role in handling state, for cloning.
enum class StateRole : uint8_t {
  kNone,
  kVariable,     // VariableV2, VarHandleOp: creates a variable
  kResource,     // another op with a shared_name
  kAssign,       // Assign, AssignVariableOp
  kCheck,        // IsVariableInitialized, VarIsInitializedOp
  kRead,         // Identity, ReadVariableOp
  kInitializes,  // InitializeTable...
  kImports,      // LookupTableImport: initializes a table that is only filled once
  kApply         // ApplyAdam, ...: an optimizer's update
};

// Caches the roles of ops.
class StateRoles {
 public:
  StateRole Of(const Op* op) {
    if (op == last_) return last_role_;
    auto [it, added] = roles_.try_emplace(op);
    if (added) it->second = Classify(*op);
    last_ = op;
    return last_role_ = it->second;
  }
  static StateRole Classify(const Op& op);

 private:
  std::unordered_map<const Op*, StateRole> roles_;
  const Op* last_ = nullptr;
  StateRole last_role_ = StateRole::kNone;
};

// A variable of the source to copy, as determined from its operations and the graph's records.
struct SelectedVariable {
  NodeId node;
  VariableId record = -1;  // -1 if it has no record
  NodeId initializer = -1;
  NodeId read = -1;
};

// A table of the source to copy, and the operations that fill it when it is initialized.
struct SelectedTable {
  NodeId node;
  std::vector<NodeId> initializers;
};

// The part of the source graph to copy. clone_elements.cc looks up the elements that the options
// name; clone_selection.cc adds everything that these need.
class CloneSelection {
 public:
  CloneSelection(const Graph& source, const CloneOptions& options);
  // Looks up the elements that the options name. Locks the graph during the call. Errors are those
  // of Clone.
  Status Resolve();
  // Errors are those of Clone.
  Status Select();

  // In id order.
  const std::vector<NodeId>& nodes() const { return nodes_; }
  const std::vector<SelectedVariable>& variables() const { return variables_; }
  const std::vector<SelectedTable>& tables() const { return tables_; }
  const std::vector<Endpoint>& cuts() const { return cuts_; }
  // Returns the requested placeholder of a cut; null if there is none.
  const ClonePlaceholder* AskedPlaceholder(Endpoint cut) const;
  const std::vector<std::pair<Endpoint, Output>>& replacements() const { return replacements_; }
  // The requested outputs: the tensors, and all tensors of the operations.
  const std::vector<Endpoint>& outputs() const { return outputs_; }
  const std::unordered_set<NodeId>& shared() const { return shared_; }
  // Enters of frames whose loop is not part of the clone. They become Identity.
  const std::unordered_set<NodeId>& open_enters() const { return open_enters_; }
  bool IsSelected(NodeId id) const { return selected_[static_cast<size_t>(id)] != 0; }
  FunctionStates& functions() { return *functions_; }
  const Graph* source() const { return &source_; }
  const GraphImpl& impl() const { return impl_; }

  // Reports whether strip_training omits a node. Nothing in the clone waits for it.
  bool IsStripped(NodeId id) const {
    return !stripped_.empty() && stripped_[static_cast<size_t>(id)] != 0;
  }
  // Tensors of spliced operations, with the tensors that they passed on.
  const std::unordered_map<uint64_t, Endpoint>& splices() const { return splices_; }
  Endpoint Unspliced(Endpoint e) const;
  // Returns input `i` of a selected node in the clone, as a tensor of the source.
  Endpoint InputOf(NodeId id, int32_t i) const {
    return batch_norms_.empty() ? impl_.inputs(id)[static_cast<size_t>(i)] : FrozenInputOf(id, i);
  }
  // Reports whether a batch norm becomes an inference batch norm.
  bool IsFrozenBatchNorm(NodeId id) const { return batch_norms_.contains(id); }

 private:
  friend class TrainingParts;
  using NodePair = std::pair<NodeId, NodeId>;
  Endpoint FrozenInputOf(NodeId id, int32_t i) const;
  StatusOr<Endpoint> ResolveTensor(const CloneElement& element, const char* argument) const;
  StatusOr<NodeId> ResolveOperation(const CloneElement& element, const char* argument) const;
  Status ResolveInputs();
  Status ResolveReplacements();
  Status CheckPlaceholder(const ClonePlaceholder& placeholder, const Output& replaced) const;
  bool MayCast(DType wanted, DType given) const;
  bool IsCut(Endpoint e) const {
    return has_cut_[static_cast<size_t>(e.node)] != 0 && cut_keys_.contains(EndpointKey(e));
  }
  void Cut(Endpoint e);
  Status CutOrRefuse(Endpoint e, const char* argument);
  void AddOutputs(NodeId id);
  Status FindState();
  std::span<const NodePair> UsersOf(NodeId state) const;
  VariableId RecordOf(NodeId variable) const;
  bool Initializes(NodeId user, NodeId state);
  Status ShareState();
  void Mark(NodeId id);
  Status MarkScope();
  Status MarkAsked();
  void MarkNeeded();
  void MarkStateOf(NodeId id);
  void MarkStateOfCalls(NodeId id);
  std::string NameOfState(NodeId id) const;
  bool MarkBranches();
  void MarkLoops();
  SelectedVariable Describe(NodeId node) const;
  Status CollectVariables();
  void CollectTables();
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
  std::unordered_map<uint64_t, ClonePlaceholder> asked_;
  std::vector<Endpoint> outputs_;
  std::vector<uint8_t> stripped_;
  std::unordered_map<uint64_t, Endpoint> splices_;
  std::unordered_map<NodeId, std::pair<Endpoint, Endpoint>> batch_norms_;  // mean, variance
  std::unordered_set<uint64_t> cut_keys_;
  std::vector<uint8_t> has_cut_;
  std::vector<uint8_t> selected_;
  std::vector<NodeId> stack_, pending_state_;
  std::vector<NodePair> users_;                          // of state; see FindState
  std::vector<std::pair<NodeId, VariableId>> recorded_;  // by variable, sorted
  std::vector<NodeId> state_;
  std::unique_ptr<FunctionStates> functions_;
  std::unordered_multimap<std::string, NodeId> state_by_name_;  // if there are functions
  std::unordered_set<NodeId> shared_;
  std::vector<NodeId> nodes_;
  std::vector<SelectedVariable> variables_;
  std::vector<SelectedTable> tables_;
  std::unordered_set<NodeId> open_enters_;
};

}  // namespace ramet
