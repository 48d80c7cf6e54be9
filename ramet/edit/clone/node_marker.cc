#include "ramet/edit/clone/node_marker.h"

#include <algorithm>

#include "ramet/base/run_interrupt.h"
#include "ramet/graph/cond_context.h"
#include "ramet/graph/control_flow_util.h"
#include "ramet/graph/while_context.h"

namespace ramet {
namespace {

// How many nodes are marked between two looks for an interrupt.
constexpr size_t kMarkedPerCheck = 4096;

}  // namespace

NodeMarker::NodeMarker(const GraphData& impl, const CloneOptions& options,
                       const CloneBoundary& boundary, const StateIndex& index,
                       FunctionStates& functions, const StrippedParts& stripped,
                       const std::unordered_set<NodeId>& shared, std::vector<uint8_t>* marks)
    : impl_(impl),
      options_(options),
      boundary_(boundary),
      index_(index),
      functions_(functions),
      stripped_(stripped),
      shared_(shared),
      marks_(*marks) {}

Status NodeMarker::Mark() {
  if (boundary_.whole()) {
    MarkAll();
    return OkStatus();
  }
  for (NodeId id : boundary_.roots()) Mark(id);
  if (!options_.scope.empty()) RAMET_RETURN_IF_ERROR(MarkScope());
  // Listed operations are cloned without their inputs, except for their state.
  if (options_.outputs.empty()) pending_nodes_.clear();
  MarkNeeded();
  if (!options_.outputs.empty()) MarkLoops();
  return StopDue() ? InterruptedStatus() : OkStatus();
}

void NodeMarker::MarkAll() {
  std::ranges::fill(marks_, uint8_t{1});
  for (NodeId id : shared_) marks_[static_cast<size_t>(id)] = 0;
}

void NodeMarker::Mark(NodeId id) {
  uint8_t& mark = marks_[static_cast<size_t>(id)];
  if (mark != 0 || (!shared_.empty() && shared_.contains(id))) return;
  mark = 1;
  pending_nodes_.push_back(id);
  if (index_.IsState(id)) pending_state_.push_back(id);
}

Status NodeMarker::MarkScope() {
  const std::string prefix =
      options_.scope.ends_with('/') ? options_.scope : StrCat(options_.scope, "/");
  const std::string_view itself = std::string_view(prefix).substr(0, prefix.size() - 1);
  const size_t before = pending_nodes_.size();
  for (NodeId id = 0; id < static_cast<NodeId>(marks_.size()); ++id) {
    const std::string_view name = impl_.nodes[id].name;
    if (name.starts_with(prefix) || name == itself) Mark(id);
  }
  if (pending_nodes_.size() > before) return OkStatus();
  return InvalidArgument("clone: scope: no operation is under '", prefix, "'");
}

void NodeMarker::MarkNeeded() {
  for (size_t marked = 0; !pending_nodes_.empty() || !pending_state_.empty(); ++marked) {
    if (marked % kMarkedPerCheck == 0 && StopDue()) return;
    std::vector<NodeId>& pending = pending_nodes_.empty() ? pending_state_ : pending_nodes_;
    const NodeId id = pending.back();
    pending.pop_back();
    if (&pending == &pending_state_) {
      MarkStateOf(id);
    } else {
      if (!functions_.empty()) MarkStateOfCalls(id);
      MarkInputsOf(id);
    }
  }
}

void NodeMarker::MarkInputsOf(NodeId id) {
  for (int32_t i = 0; i < impl_.nodes[id].num_inputs; ++i) {
    const Endpoint e = stripped_.InputOf(id, i);
    if (!boundary_.IsCut(e)) Mark(e.node);
  }
  for (Endpoint e : impl_.controls(id)) {
    if (!boundary_.HasCut(e.node)) Mark(e.node);
  }
}

// Marks state of the graph that functions refer to by name.
void NodeMarker::MarkStateOfCalls(NodeId id) {
  std::vector<NodeId> named;
  for (const std::string& function : functions_.CalledBy(impl_.nodes[id])) {
    for (const FunctionStates::State& state : functions_.Behind(function)) {
      index_.AppendNamed(state.name, &named);
    }
  }
  for (NodeId state : named) Mark(state);
}

void NodeMarker::MarkStateOf(NodeId state) {
  if (index_.IsVariable(state)) {
    const SelectedVariable v = index_.Describe(state);
    for (NodeId part : {v.initializer, v.read}) {
      if (part >= 0) Mark(part);
    }
    if (v.record >= 0 && impl_.variables[v.record].initial_value.valid()) {
      Mark(impl_.variables[v.record].initial_value.op().id());
    }
  }
  for (const auto& [of, user] : index_.UsersOf(state)) {
    if (index_.BelongsTo(user, state)) Mark(user);
    if (!options_.slots || index_.RoleOf(user) != StateRole::kApply) continue;
    for (Endpoint e : impl_.inputs(user)) {
      if (index_.IsVariable(e.node)) Mark(e.node);
    }
  }
}

// Marks all variables of loops that are part of the clone.
void NodeMarker::MarkLoops() {
  for (bool more = true; more;) {
    more = false;
    for (const auto& context : impl_.build_state.control_flow.contexts) {
      auto* loop = dynamic_cast<WhileContext*>(context.get());
      if (loop == nullptr || !loop->pivot().valid() || !IsMarked(loop->pivot().op().id())) continue;
      for (const Output& exit : loop->loop_exits()) {
        if (!exit.valid() || IsMarked(exit.op().id())) continue;
        Mark(exit.op().id());
        more = true;
      }
      MarkNeeded();
    }
    more = MarkBranches() || more;
  }
}

// Marks the pivots of branches that values of the clone go into.
bool NodeMarker::MarkBranches() {
  bool more = false;
  for (const auto& [id, context] : impl_.build_state.control_flow.context_of) {
    if (!IsMarked(id) || ControlFlowOf(*impl_.nodes[id].op) != ControlFlow::kSwitch) continue;
    const auto* cond = dynamic_cast<const CondContext*>(context);
    if (cond == nullptr || !cond->pivot().valid()) continue;
    const NodeId pivot = cond->pivot().op().id();
    if (IsMarked(pivot)) continue;
    Mark(pivot);
    MarkNeeded();
    more = true;
  }
  return more;
}

}  // namespace ramet
