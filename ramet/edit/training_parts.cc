#include "ramet/edit/training_parts.h"

#include <algorithm>
#include <array>

#include "ramet/graph/control_flow_context.h"

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

void TrainingParts::IndexReaders() {
  const size_t n = impl_.nodes.size();
  first_reader_.assign(n + 1, 0);
  auto each_edge = [&](auto&& visit) {
    for (NodeId id = 0; id < static_cast<NodeId>(n); ++id) {
      if (!selection_.IsSelected(id)) continue;
      for (int32_t i = 0; i < impl_.nodes[id].num_inputs; ++i) {
        visit(selection_.InputOf(id, i).node, id);
      }
      for (Endpoint e : impl_.controls(id)) visit(e.node, id);
    }
  };
  each_edge([&](NodeId from, NodeId) { ++first_reader_[static_cast<size_t>(from) + 1]; });
  for (size_t i = 0; i < n; ++i) first_reader_[i + 1] += first_reader_[i];
  readers_.resize(static_cast<size_t>(first_reader_[n]));
  std::vector<int32_t> next(first_reader_.begin(), first_reader_.end() - 1);
  each_edge([&](NodeId from, NodeId to) {
    readers_[static_cast<size_t>(next[static_cast<size_t>(from)]++)] = to;
  });
  remaining_.resize(n);
  for (size_t i = 0; i < n; ++i) remaining_[i] = first_reader_[i + 1] - first_reader_[i];
}

std::span<const NodeId> TrainingParts::ReadersOf(NodeId id) const {
  const auto i = static_cast<size_t>(id);
  return {readers_.data() + first_reader_[i],
          static_cast<size_t>(first_reader_[i + 1] - first_reader_[i])};
}

void TrainingParts::Strip() {
  selection_.stripped_.assign(impl_.nodes.size(), 0);
  IndexReaders();
  if (selection_.options_.outputs.empty()) {
    for (NodeId id : selection_.state_) {
      if (selection_.roles_.Of(impl_.nodes[id].op) == StateRole::kVariable) variables_.insert(id);
    }
    FindSeeds();
    while (!removed_.empty()) {
      const NodeId id = removed_.back();
      removed_.pop_back();
      for (int32_t i = 0; i < impl_.nodes[id].num_inputs; ++i) {
        Forsake(selection_.InputOf(id, i).node);
      }
      for (Endpoint e : impl_.controls(id)) Forsake(e.node);
    }
  }
  FindSplices();
}

bool TrainingParts::IsUpdate(NodeId id) const {
  const std::string& op = impl_.nodes[id].op->name();
  return op.starts_with("Assign") || op == "NoOp";
}

// Reports whether a node is an unread gradient.
bool TrainingParts::EndsInGradients(NodeId id) const {
  return ReadersOf(id).empty() && IsInGradients(impl_.nodes[id].name);
}

void TrainingParts::FindSeeds() {
  bool trains = false;
  for (NodeId id = 0; id < static_cast<NodeId>(impl_.nodes.size()); ++id) {
    if (!selection_.IsSelected(id)) continue;
    const Op* op = impl_.nodes[id].op;
    const bool applies = selection_.roles_.Of(op) == StateRole::kApply;
    trains = trains || applies;
    if (applies || IsFile(op->name())) RemoveDependents(id);
  }
  for (const auto& item : impl_.collections.Get(graph_keys::kUpdateOps)) {
    const auto* op = std::get_if<Operation>(&item);
    const auto* tensor = std::get_if<Output>(&item);
    const NodeId id = op != nullptr ? op->id() : tensor != nullptr ? tensor->op().id() : -1;
    if (id >= 0 && selection_.IsSelected(id) && IsUpdate(id)) Remove(id);
  }
  for (NodeId id = 0; trains && id < static_cast<NodeId>(impl_.nodes.size()); ++id) {
    if (selection_.IsSelected(id) && EndsInGradients(id)) Remove(id);
  }
}

void TrainingParts::RemoveDependents(NodeId id) {
  std::vector<NodeId> stack = {id};
  while (!stack.empty()) {
    const NodeId at = stack.back();
    stack.pop_back();
    if (!selection_.IsSelected(at)) continue;
    Remove(at);
    for (NodeId reader : ReadersOf(at)) stack.push_back(reader);
  }
}

void TrainingParts::Remove(NodeId id) {
  if (!selection_.IsSelected(id)) return;
  selection_.selected_[static_cast<size_t>(id)] = 0;
  selection_.stripped_[static_cast<size_t>(id)] = 1;
  removed_.push_back(id);
}

// Called when one of the node's readers was removed.
void TrainingParts::Forsake(NodeId id) {
  --remaining_[static_cast<size_t>(id)];
  if (!selection_.IsSelected(id)) return;
  if (variables_.contains(id)) return TryRemoveState(id);
  const StateRole role = selection_.roles_.Of(impl_.nodes[id].op);
  if (role == StateRole::kRead && impl_.nodes[id].num_inputs > 0) {
    const NodeId state = impl_.inputs(id)[0].node;
    if (variables_.contains(state)) return TryRemoveState(state);
  }
  if (IsForsaken(id)) Remove(id);
}

// Reports whether all readers are removed and one of them read the value of the first output.
// (Gradients read only the shape of a loss; updates read the statistics of a network's last batch
// norm.)
bool TrainingParts::IsForsaken(NodeId id) const {
  if (remaining_[static_cast<size_t>(id)] > 0) return false;
  if (impl_.nodes[id].num_outputs == 0 || IsInGradients(impl_.nodes[id].name)) return true;
  return std::ranges::any_of(ReadersOf(id), [&](NodeId reader) {
    if (AsksForShape(impl_.nodes[reader].op->name())) return false;
    for (int32_t i = 0; i < impl_.nodes[reader].num_inputs; ++i) {
      if (selection_.InputOf(reader, i) == Endpoint{id, 0}) return true;
    }
    return false;
  });
}

bool TrainingParts::IsUnused(const SelectedVariable& v) const {
  return std::ranges::all_of(ReadersOf(v.node), [&](NodeId reader) {
    if (!selection_.IsSelected(reader) || reader == v.initializer) return true;
    const StateRole role = selection_.roles_.Of(impl_.nodes[reader].op);
    if (role == StateRole::kCheck) return ReadersOf(reader).empty();
    return role == StateRole::kRead && remaining_[static_cast<size_t>(reader)] == 0;
  });
}

void TrainingParts::TryRemoveState(NodeId id) {
  const SelectedVariable v = selection_.Describe(id);
  if (!IsUnused(v)) return;
  for (NodeId reader : ReadersOf(id)) Remove(reader);
  Remove(id);
}

bool TrainingParts::IsProtected(NodeId id) const {
  return protected_.contains(id) || impl_.build_state.context_of.contains(id);
}

void TrainingParts::FindSplices() {
  std::unordered_set<std::string_view> leaders;
  std::vector<uint8_t> waits(impl_.nodes.size(), 0);  // has control edges, in or out
  for (Endpoint e : selection_.outputs_) protected_.insert(e.node);
  for (const VariableRecord& v : impl_.variables) {
    for (const Output& o : {v.snapshot, v.initial_value}) {
      if (o.valid()) protected_.insert(o.op().id());
    }
  }
  for (NodeId id = 0; id < static_cast<NodeId>(impl_.nodes.size()); ++id) {
    if (!selection_.IsSelected(id)) continue;
    for (Endpoint e : impl_.controls(id)) {
      waits[static_cast<size_t>(id)] = waits[static_cast<size_t>(e.node)] = 1;
    }
    const Attr* attr = impl_.nodes[id].attrs->Find("_class");
    const auto* groups = attr == nullptr ? nullptr : attr->get<std::vector<std::string>>();
    if (groups == nullptr) continue;
    for (const std::string& g : *groups) {
      if (g.starts_with("loc:@")) leaders.insert(std::string_view(g).substr(5));
    }
  }
  for (NodeId id = 0; id < static_cast<NodeId>(impl_.nodes.size()); ++id) {
    const NodeRecord& node = impl_.nodes[id];
    const std::string& op = node.op->name();
    const bool checks = op == "CheckNumerics";
    if (!checks && op != "Identity" && op != "StopGradient") continue;
    if (!selection_.IsSelected(id) || IsProtected(id) || leaders.contains(node.name)) continue;
    if (!checks && waits[static_cast<size_t>(id)] != 0) continue;
    const Endpoint from = impl_.inputs(id)[0];
    if (IsRef(impl_.output(from).dtype) || selection_.has_cut_[static_cast<size_t>(id)] != 0) {
      continue;
    }
    selection_.splices_[EndpointKey({id, 0})] = from;
    selection_.selected_[static_cast<size_t>(id)] = 0;
    selection_.stripped_[static_cast<size_t>(id)] = 1;
  }
}

// Returns the value that `assign` moves a variable toward: v -= (v - value) * decay, as made by
// moving_averages.assign_moving_average, or v = value if the op itself averages.
std::optional<Endpoint> TrainingParts::AveragedBy(NodeId assign) const {
  const std::string& op = impl_.nodes[assign].op->name();
  auto through = [&](Endpoint e) {
    while (impl_.nodes[e.node].op->name() == "Identity") e = impl_.inputs(e.node)[0];
    return e;
  };
  const Endpoint value = through(impl_.inputs(assign)[1]);
  if (op == "Assign" || op == "AssignVariableOp") return value;
  if (op != "AssignSub" && op != "AssignSubVariableOp") return std::nullopt;
  if (impl_.nodes[value.node].op->name() != "Mul") return std::nullopt;
  const Endpoint difference = through(impl_.inputs(value.node)[0]);
  if (impl_.nodes[difference.node].op->name() != "Sub") return std::nullopt;
  const Endpoint own = impl_.inputs(difference.node)[0];
  const bool reads = selection_.roles_.Of(impl_.nodes[own.node].op) == StateRole::kRead &&
                     impl_.inputs(own.node)[0].node == impl_.inputs(assign)[0].node;
  if (!reads && own.node != impl_.inputs(assign)[0].node) return std::nullopt;
  return through(impl_.inputs(difference.node)[1]);
}

Endpoint TrainingParts::ReadOf(NodeId variable) const {
  const SelectedVariable v = selection_.Describe(variable);
  if (v.record >= 0) {
    const Output& snapshot = impl_.variables[v.record].snapshot;
    return {snapshot.op().id(), snapshot.index()};
  }
  return {v.read >= 0 ? v.read : variable, 0};
}

// Maps batch statistics to reads of the variable that they update; nothing if there are several
// variables.
TrainingParts::Averages TrainingParts::FindAverages() const {
  Averages averages;
  for (NodeId id = 0; id < static_cast<NodeId>(impl_.nodes.size()); ++id) {
    if (!impl_.nodes[id].op->name().starts_with("Assign") || impl_.nodes[id].num_inputs < 2) {
      continue;
    }
    const NodeId state = impl_.inputs(id)[0].node;
    if (selection_.roles_.Of(impl_.nodes[state].op) != StateRole::kVariable) continue;
    const auto value = AveragedBy(id);
    if (!value || !impl_.nodes[value->node].op->name().starts_with("FusedBatchNorm")) continue;
    const Endpoint read = ReadOf(state);
    if (IsRef(impl_.output(read).dtype) || BaseType(impl_.output(read).dtype) != kFloat) continue;
    auto [it, added] = averages.emplace(EndpointKey(*value), read);
    if (!added) it->second.reset();
  }
  return averages;
}

void TrainingParts::FindBatchNorms() {
  const Averages averages = FindAverages();
  if (averages.empty()) return;
  for (NodeId id = 0; id < static_cast<NodeId>(impl_.nodes.size()); ++id) {
    const NodeRecord& node = impl_.nodes[id];
    if (!node.op->name().starts_with("FusedBatchNorm") || node.num_inputs != 5 ||
        !node.attrs->GetOr<bool>("is_training", true)) {
      continue;
    }
    auto mean = averages.find(EndpointKey({id, 1})), variance = averages.find(EndpointKey({id, 2}));
    if (mean == averages.end() || variance == averages.end()) continue;
    if (!mean->second || !variance->second) continue;
    selection_.batch_norms_[id] = {*mean->second, *variance->second};
  }
}

}  // namespace ramet
