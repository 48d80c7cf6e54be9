#include "ramet/edit/clone/batch_norms.h"

#include <optional>

namespace ramet {
namespace {

// Finds the variables that batch statistics update.
class AverageFinder {
 public:
  // Batch statistics, and reads of the variable that they update; nothing if there are several
  // variables.
  using Averages = std::unordered_map<uint64_t, std::optional<Endpoint>>;

  AverageFinder(const GraphData& impl, const StateIndex& index) : impl_(impl), index_(index) {}
  Averages Find() const;

 private:
  std::optional<Endpoint> AveragedBy(NodeId assign) const;
  Endpoint ReadOf(NodeId variable) const;

  const GraphData& impl_;
  const StateIndex& index_;
};

// Returns the value that `assign` moves a variable toward: v -= (v - value) * decay, as made by
// moving_averages.assign_moving_average, or v = value if the op itself averages.
std::optional<Endpoint> AverageFinder::AveragedBy(NodeId assign) const {
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
  const bool reads = index_.RoleOf(own.node) == StateRole::kRead &&
                     impl_.inputs(own.node)[0].node == impl_.inputs(assign)[0].node;
  if (!reads && own.node != impl_.inputs(assign)[0].node) return std::nullopt;
  return through(impl_.inputs(difference.node)[1]);
}

Endpoint AverageFinder::ReadOf(NodeId variable) const {
  const SelectedVariable v = index_.Describe(variable);
  if (v.record >= 0) {
    const Output& snapshot = impl_.variables[v.record].snapshot;
    return {snapshot.op().id(), snapshot.index()};
  }
  return {v.read >= 0 ? v.read : variable, 0};
}

AverageFinder::Averages AverageFinder::Find() const {
  Averages averages;
  for (NodeId id = 0; id < static_cast<NodeId>(impl_.nodes.size()); ++id) {
    if (!impl_.nodes[id].op->name().starts_with("Assign") || impl_.nodes[id].num_inputs < 2) {
      continue;
    }
    const NodeId state = impl_.inputs(id)[0].node;
    if (!index_.IsVariable(state)) continue;
    const auto value = AveragedBy(id);
    if (!value || !impl_.nodes[value->node].op->name().starts_with("FusedBatchNorm")) continue;
    const Endpoint read = ReadOf(state);
    if (IsRef(impl_.output(read).dtype) || BaseType(impl_.output(read).dtype) != kFloat) continue;
    auto [it, added] = averages.emplace(EndpointKey(*value), read);
    if (!added) it->second.reset();
  }
  return averages;
}

}  // namespace

void FreezeBatchNorms(const GraphData& impl, const StateIndex& index, StrippedParts* stripped) {
  const AverageFinder::Averages averages = AverageFinder(impl, index).Find();
  if (averages.empty()) return;
  for (NodeId id = 0; id < static_cast<NodeId>(impl.nodes.size()); ++id) {
    const NodeRecord& node = impl.nodes[id];
    if (!node.op->name().starts_with("FusedBatchNorm") || node.num_inputs != 5 ||
        !node.attrs->GetOr<bool>("is_training", true)) {
      continue;
    }
    auto mean = averages.find(EndpointKey({id, 1})), variance = averages.find(EndpointKey({id, 2}));
    if (mean == averages.end() || variance == averages.end()) continue;
    if (!mean->second || !variance->second) continue;
    stripped->FreezeBatchNorm(id, *mean->second, *variance->second);
  }
}

}  // namespace ramet
