#include "ramet/replica/published_variables.h"

#include <set>
#include <unordered_set>

#include "ramet/graph/graph_data.h"

namespace ramet {
namespace {

bool IsRead(std::string_view op) {
  return op == "Identity" || op == "ReadVariableOp" || op == "RefIdentity";
}

// Reports whether `op` is an optimizer's update: ApplyAdam(var, m, v, beta1_power, ...),
// SparseApply..., ResourceApply...
bool IsApply(std::string_view op) {
  return op.starts_with("Apply") || op.starts_with("SparseApply") ||
         op.starts_with("ResourceApply") || op.starts_with("ResourceSparseApply");
}

// Nodes of variables that optimizers use, directly or through a node that reads the variable.
struct Uses {
  std::unordered_set<NodeId> updated;        // input 0 of an update
  std::unordered_set<NodeId> by_optimizers;  // any other input of an update
};

Uses FindUses(const GraphData& graph) {
  Uses uses;
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes.size()); ++id) {
    if (!IsApply(graph.nodes[id].op->name())) continue;
    const auto inputs = graph.inputs(id);
    for (size_t i = 0; i < inputs.size(); ++i) {
      NodeId source = inputs[i].node;
      if (IsRead(graph.nodes[source].op->name())) source = graph.inputs(source)[0].node;
      (i == 0 ? uses.updated : uses.by_optimizers).insert(source);
    }
  }
  return uses;
}

}  // namespace

std::vector<Variable> VariablesForInference(const Graph& graph) {
  auto& mutable_graph = const_cast<Graph&>(graph);
  const auto all = mutable_graph.collections().Get<Variable>(graph_keys::kGlobalVariables);
  const GraphData& impl = GraphDataOf(graph);
  std::vector<Variable> chosen;
  ReaderLock lock(impl.mutex);
  const Uses uses = FindUses(impl);
  std::set<VariableId> seen;
  for (const Variable& variable : all) {
    const NodeId node = impl.variables[variable.id()].variable.op().id();
    const bool state_of_optimizer =
        uses.by_optimizers.contains(node) && !uses.updated.contains(node);
    if (!state_of_optimizer && seen.insert(variable.id()).second) chosen.push_back(variable);
  }
  return chosen;
}

}  // namespace ramet
