#include "ramet/edit/patch.h"

#include <algorithm>

#include "ramet/edit/planned_edges.h"
#include "ramet/graph/edit_graph.h"

namespace ramet {
namespace {

Status CheckOwn(const Graph* graph, const Operation& op, std::string_view what) {
  if (!op.valid()) return InvalidArgument(what, " of a patch is an invalid handle");
  if (op.graph() != graph) {
    return InvalidArgument(what, " '", op.name(), "' of a patch belongs to a different graph");
  }
  return OkStatus();
}

Status CheckInput(const GraphData& impl, NodeId id, int index, const Output& input) {
  const NodeRecord& node = impl.nodes[id];
  if (index < 0 || index >= node.num_inputs) {
    return InvalidArgument("node '", node.name, "' has ", node.num_inputs,
                           " inputs, so there is no input ", index);
  }
  const NodeRecord& producer = impl.nodes[input.op().id()];
  if (input.index() < 0 || input.index() >= producer.num_outputs) {
    return InvalidArgument("node '", producer.name, "' has ", producer.num_outputs,
                           " outputs, so there is no output ", input.index(), " for input ", index,
                           " of node '", node.name, "'");
  }
  const OutputRecord& old = impl.output(impl.inputs(id)[index]);
  const OutputRecord& next = impl.output({input.op().id(), input.index()});
  if (BaseType(old.dtype) != BaseType(next.dtype)) {
    return InvalidArgument("input ", index, " of node '", node.name, "' is ", DTypeName(old.dtype),
                           "; '", producer.name, ":", input.index(), "' is ",
                           DTypeName(next.dtype));
  }
  if (!old.shape.IsCompatibleWith(next.shape)) {
    return InvalidArgument("input ", index, " of node '", node.name, "' has shape ",
                           old.shape.ToString(), "; '", producer.name, ":", input.index(),
                           "' has shape ", next.shape.ToString());
  }
  return OkStatus();
}

}  // namespace

void GraphPatch::SetInput(Operation op, int index, Output input) {
  if (op.graph() != graph_) return foreign_.push_back(op);
  inputs_[{op.id(), index}] = input;
}

void GraphPatch::AddControlInput(Operation op, Operation control) {
  controls_.push_back({op, control, true});
}

void GraphPatch::RemoveControlInput(Operation op, Operation control) {
  controls_.push_back({op, control, false});
}

Output GraphPatch::InputOf(Operation op, int index) const {
  auto it = inputs_.find({op.id(), index});
  return it == inputs_.end() ? op.input(index) : it->second;
}

StatusOr<EdgePlan> GraphPatch::Plan(const Options& options) const {
  const GraphData& impl = GraphDataOf(*graph_);
  if (impl.finalized) return FailedPrecondition("Graph is finalized and cannot be modified.");
  EdgePlan plan(impl);
  for (const auto& [key, input] : inputs_) {
    RAMET_RETURN_IF_ERROR(CheckInput(impl, key.first, key.second, input));
    plan.Edit(key.first).inputs[key.second] = {input.op().id(), input.index()};
  }
  for (const auto& [op, control, add] : controls_) {
    std::vector<NodeId>& controls = plan.Edit(op.id()).controls;
    const auto at = std::ranges::find(controls, control.id());
    if (add) {
      if (at == controls.end()) controls.push_back(control.id());
    } else if (at == controls.end()) {
      return InvalidArgument("'", impl.nodes[control.id()].name, "' is not a control input of '",
                             impl.nodes[op.id()].name, "'");
    } else {
      controls.erase(at);
    }
  }
  if (options.check_cycles) RAMET_RETURN_IF_ERROR(CheckNoNewCycle(plan));
  return plan;
}

Status GraphPatch::CheckHandles() const {
  for (const Operation& op : foreign_) RAMET_RETURN_IF_ERROR(CheckOwn(graph_, op, "the node"));
  for (const auto& [key, input] : inputs_) {
    RAMET_RETURN_IF_ERROR(CheckOwn(graph_, input.op(), "the input"));
  }
  for (const auto& [op, control, add] : controls_) {
    RAMET_RETURN_IF_ERROR(CheckOwn(graph_, op, "the node"));
    RAMET_RETURN_IF_ERROR(CheckOwn(graph_, control, "the control input"));
  }
  return OkStatus();
}

Status GraphPatch::Check(const Options& options) const {
  RAMET_RETURN_IF_ERROR(CheckHandles());
  ReaderLock lock(GraphDataOf(*graph_).mutex);
  return Plan(options).status();
}

Status GraphPatch::Apply(const Options& options) {
  RAMET_RETURN_IF_ERROR(CheckHandles());
  GraphData& impl = MutableGraphDataOf(*graph_);
  WriterLock lock(impl.mutex);
  RAMET_ASSIGN_OR_RETURN(const EdgePlan plan, Plan(options));
  if (plan.edited().empty()) return OkStatus();
  plan.Write(impl);
  ++impl.edit_version;
  return OkStatus();
}

}  // namespace ramet
