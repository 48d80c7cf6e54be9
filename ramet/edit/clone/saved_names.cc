#include "ramet/edit/clone/saved_names.h"

namespace ramet {
namespace {

constexpr int kMaxSteps = 16;
// The inputs of a save node before its tensors: the file, the names and, except for Save, the
// slices.
constexpr int32_t kNames = 1;

bool IsVariable(const Op& op) { return StateRoles::Classify(op) == StateRole::kVariable; }

int32_t FirstTensor(const std::string& op) { return op == "Save" ? 2 : 3; }

bool IsSave(const std::string& op) { return op == "Save" || op == "SaveSlices" || op == "SaveV2"; }

}  // namespace

NodeId SavedNames::VariableOf(Endpoint read) const {
  for (int step = 0; step < kMaxSteps; ++step) {
    if (IsVariable(*impl_.nodes[read.node].op)) return read.node;
    if (impl_.nodes[read.node].num_inputs == 0) return -1;
    read = impl_.inputs(read.node)[0];
  }
  return -1;
}

SavedNames::Restored SavedNames::FindRestored() const {
  Restored restored;
  for (NodeId id : selection_.nodes()) {
    if (!impl_.nodes[id].op->name().starts_with("Assign") || impl_.nodes[id].num_inputs < 2) {
      continue;
    }
    Endpoint value = impl_.inputs(id)[1];
    for (int step = 0; step < kMaxSteps && impl_.nodes[value.node].num_inputs > 0; ++step) {
      if (impl_.nodes[value.node].op->name().starts_with("Restore")) {
        restored.emplace(EndpointKey(value), VariableOf(impl_.inputs(id)[0]));
        break;
      }
      value = impl_.inputs(value.node)[0];
    }
  }
  return restored;
}

std::string SavedNames::NewName(const std::string& stored, NodeId variable) const {
  if (variable < 0) return names_.Mapped(stored);
  if (!selection_.IsSelected(variable)) return stored;
  const bool own_name = !partitioned_.contains(variable) && impl_.nodes[variable].name == stored;
  return own_name ? std::string(node_names_.OfCopy(variable)) : names_.Mapped(stored);
}

void SavedNames::RenameList(NodeId node, const std::function<NodeId(size_t)>& variable_of) {
  if (impl_.nodes[node].num_inputs <= kNames) return;
  const NodeId constant = impl_.inputs(node)[kNames].node;
  if (!selection_.IsSelected(constant) || impl_.nodes[constant].op->name() != "Const") return;
  const Attr* attr = impl_.nodes[constant].attrs->Find("value");
  const Tensor* names = attr == nullptr ? nullptr : attr->get<Tensor>();
  if (names == nullptr || names->dtype() != kString || changed_.contains(constant)) return;
  Tensor changed(kString, names->shape());
  const std::span<const std::string> stored = names->flat<std::string>();
  for (size_t i = 0; i < stored.size(); ++i) {
    changed.mutable_data<std::string>()[i] = NewName(stored[i], variable_of(i));
  }
  changed_.emplace(constant, std::move(changed));
}

void SavedNames::Rename() {
  std::vector<NodeId> saves, restores;
  for (NodeId id : selection_.nodes()) {
    const std::string& op = impl_.nodes[id].op->name();
    if (op[0] != 'S' && op[0] != 'R') continue;
    if (IsSave(op)) saves.push_back(id);
    if (op.starts_with("Restore")) restores.push_back(id);
  }
  if (saves.empty() && restores.empty()) return;
  for (const VariableRecord& v : impl_.variables) {
    if (v.save_slice_info) partitioned_.insert(v.variable.op().id());
  }
  for (NodeId id : saves) RenameSave(id);
  RenameRestores(restores);
}

void SavedNames::RenameSave(NodeId save) {
  const auto first = static_cast<size_t>(FirstTensor(impl_.nodes[save].op->name()));
  RenameList(save, [&](size_t i) {
    const auto inputs = impl_.inputs(save);
    return first + i < inputs.size() ? VariableOf(inputs[first + i]) : NodeId{-1};
  });
}

void SavedNames::RenameRestores(const std::vector<NodeId>& restores) {
  const Restored restored = FindRestored();
  for (NodeId id : restores) {
    RenameList(id, [&](size_t i) {
      auto found = restored.find(EndpointKey({id, static_cast<int32_t>(i)}));
      return found == restored.end() ? NodeId{-1} : found->second;
    });
  }
}

const Tensor* SavedNames::NamesOf(NodeId constant) const {
  auto found = changed_.find(constant);
  return found == changed_.end() ? nullptr : &found->second;
}

}  // namespace ramet
