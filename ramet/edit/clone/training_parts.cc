#include "ramet/edit/clone/training_parts.h"

#include <algorithm>
#include <array>

#include "ramet/graph/while_context.h"

namespace ramet {
namespace {

bool IsFile(const std::string& op) {
  return op.starts_with("Save") || op.starts_with("Restore") || op == "MergeV2Checkpoints";
}

// Reports whether an op uses only the shape of a tensor.
bool AsksForShape(const std::string& op) {
  static constexpr std::array kNames = {"Shape", "ShapeN", "Size", "Rank", "ZerosLike", "OnesLike"};
  return std::ranges::count(kNames, op) > 0;
}

// Reports whether a name is in a name scope that Gradients() opens: "a/gradients_1/b".
bool IsInGradients(std::string_view name) {
  constexpr std::string_view kScope = "gradients";
  for (size_t at = name.find(kScope); at != std::string_view::npos;
       at = name.find(kScope, at + 1)) {
    if (at > 0 && name[at - 1] != '/') continue;
    size_t end = at + kScope.size();
    if (end < name.size() && name[end] == '_') {
      ++end;
      while (end < name.size() && name[end] >= '0' && name[end] <= '9') ++end;
    }
    if (end < name.size() && name[end] == '/') return true;
  }
  return false;
}

}  // namespace

TrainingParts::TrainingParts(const GraphData& impl, const StateIndex& index,
                             std::vector<uint8_t>* selected, StrippedParts* stripped)
    : impl_(impl),
      index_(index),
      selected_(*selected),
      stripped_(*stripped),
      readers_(impl, *selected, *stripped) {}

void TrainingParts::Strip() {
  RemoveCertain();
  while (!removed_.empty()) {
    const NodeId id = removed_.back();
    removed_.pop_back();
    for (int32_t i = 0; i < impl_.nodes[id].num_inputs; ++i) {
      NoteRemovedReader(stripped_.InputOf(id, i).node);
    }
    for (Endpoint e : impl_.controls(id)) NoteRemovedReader(e.node);
  }
}

// Removes optimizers' updates, save and restore nodes with everything that depends on them, and
// updates in the collection "update_ops".
void TrainingParts::RemoveCertain() {
  bool trains = false;
  for (NodeId id = 0; id < static_cast<NodeId>(impl_.nodes.size()); ++id) {
    if (!IsSelected(id)) continue;
    const bool applies = index_.RoleOf(id) == StateRole::kApply;
    trains = trains || applies;
    if (applies || IsFile(impl_.nodes[id].op->name())) RemoveWithDependents(id);
  }
  RemoveUpdateOps();
  if (trains) RemoveUnreadGradients();
}

void TrainingParts::RemoveUpdateOps() {
  for (const auto& item : impl_.collections.Get(graph_keys::kUpdateOps)) {
    const auto* op = std::get_if<Operation>(&item);
    const auto* tensor = std::get_if<Output>(&item);
    const NodeId id = op != nullptr ? op->id() : tensor != nullptr ? tensor->op().id() : -1;
    if (id < 0 || !IsSelected(id)) continue;
    const std::string& name = impl_.nodes[id].op->name();
    if (name.starts_with("Assign") || name == "NoOp") Remove(id);
  }
}

void TrainingParts::RemoveUnreadGradients() {
  for (NodeId id = 0; id < static_cast<NodeId>(impl_.nodes.size()); ++id) {
    const bool unread = IsSelected(id) && readers_.ReadersOf(id).empty();
    if (unread && IsInGradients(impl_.nodes[id].name)) Remove(id);
  }
}

void TrainingParts::RemoveWithDependents(NodeId id) {
  std::vector<NodeId> stack = {id};
  while (!stack.empty()) {
    const NodeId at = stack.back();
    stack.pop_back();
    if (!IsSelected(at)) continue;
    Remove(at);
    for (NodeId reader : readers_.ReadersOf(at)) stack.push_back(reader);
  }
}

void TrainingParts::Remove(NodeId id) {
  if (!IsSelected(id)) return;
  selected_[static_cast<size_t>(id)] = 0;
  stripped_.Strip(id);
  removed_.push_back(id);
}

void TrainingParts::NoteRemovedReader(NodeId id) {
  readers_.NoteRemovedReader(id);
  if (!IsSelected(id)) return;
  if (index_.IsVariable(id)) return RemoveIfUnused(id);
  if (index_.RoleOf(id) == StateRole::kRead && impl_.nodes[id].num_inputs > 0) {
    const NodeId state = impl_.inputs(id)[0].node;
    if (index_.IsVariable(state)) return RemoveIfUnused(state);
  }
  if (HasLostReaders(id)) Remove(id);
}

// Reports whether all readers are removed. Unless the node is a gradient or has no outputs, one of
// them must have read the value of its first output. (Gradients read only the shape of a loss;
// updates read the statistics of a network's last batch norm.)
bool TrainingParts::HasLostReaders(NodeId id) const {
  if (!readers_.IsUnread(id)) return false;
  if (impl_.nodes[id].num_outputs == 0 || IsInGradients(impl_.nodes[id].name)) return true;
  return std::ranges::any_of(readers_.ReadersOf(id), [&](NodeId reader) {
    if (AsksForShape(impl_.nodes[reader].op->name())) return false;
    for (int32_t i = 0; i < impl_.nodes[reader].num_inputs; ++i) {
      if (stripped_.InputOf(reader, i) == Endpoint{id, 0}) return true;
    }
    return false;
  });
}

bool TrainingParts::IsUnused(const SelectedVariable& v) const {
  return std::ranges::all_of(readers_.ReadersOf(v.node), [&](NodeId reader) {
    if (!IsSelected(reader) || reader == v.initializer) return true;
    const StateRole role = index_.RoleOf(reader);
    if (role == StateRole::kCheck) return readers_.ReadersOf(reader).empty();
    return role == StateRole::kRead && readers_.IsUnread(reader);
  });
}

void TrainingParts::RemoveIfUnused(NodeId variable) {
  const SelectedVariable v = index_.Describe(variable);
  if (!IsUnused(v)) return;
  for (NodeId reader : readers_.ReadersOf(variable)) Remove(reader);
  Remove(variable);
}

}  // namespace ramet
