#include "ramet/graph/control_flow_context.h"

#include <algorithm>
#include <utility>

#include "ramet/graph/control_flow_util.h"
#include "ramet/graph/while_context.h"

namespace ramet {

void ControlFlowContext::Enter() {
  ControlFlowContext*& current = graph_.build_state().control_flow.current;
  stack_.push_back(current);
  current = this;
}

void ControlFlowContext::Exit() {
  graph_.build_state().control_flow.current = stack_.back();
  stack_.pop_back();
}

void ControlFlowContext::ExitResult(const std::vector<Output>& results) {
  if (outer_ == nullptr) return;
  for (const Output& result : results) outer_->AddName(result);
}

std::vector<Operation> ControlFlowContext::RemoveExternalControls(NodeSpec* node) {
  std::vector<Operation> external;
  WhileContext* const loop = while_context();
  if (loop == nullptr) return external;
  std::erase_if(node->control_inputs, [&](const Operation& control) {
    ControlFlowContext* context = OutputContextOf(control);
    const bool internal = context != nullptr && context->while_context() == loop;
    if (!internal) external.push_back(control);
    return !internal;
  });
  return external;
}

// Nodes added for the node get names below its name.
Status ControlFlowContext::MapInputs(NodeSpec* node) {
  std::string& name_scope = graph_.build_state().name_stack;
  const std::string outside = std::exchange(name_scope, node->name);
  auto map = [&](Output& input) -> Status {
    RAMET_RETURN_IF_ERROR(CheckInputContext(*node, this, input));
    RAMET_ASSIGN_OR_RETURN(input, AddValue(input));
    return OkStatus();
  };
  Status status;
  for (size_t i = 0; i < node->inputs.size() && status.ok(); ++i) status = map(node->inputs[i]);
  name_scope = outside;
  return status;
}

ControlFlowContext* ContextOf(const Operation& op) {
  const auto& contexts = op.graph()->build_state().control_flow.context_of;
  auto it = contexts.find(op.id());
  return it == contexts.end() ? nullptr : it->second;
}

void SetContext(const Operation& op, ControlFlowContext* context) {
  auto& contexts = op.graph()->build_state().control_flow.context_of;
  if (context == nullptr) {
    contexts.erase(op.id());
  } else {
    contexts[op.id()] = context;
  }
}

ControlFlowContext* OutputContextOf(const Operation& op) {
  ControlFlowContext* context = ContextOf(op);
  return context != nullptr && IsLoopExit(op) ? context->outer() : context;
}

ControlFlowContext* CurrentContext(Graph& graph) {
  return graph.build_state().control_flow.current;
}

bool IsWithin(const ControlFlowContext* inner, const ControlFlowContext* outer) {
  while (inner != nullptr && inner != outer) inner = inner->outer();
  return inner == outer;
}

Status CheckInputContext(const NodeSpec& node, ControlFlowContext* context, const Output& input) {
  ControlFlowContext* from = OutputContextOf(input.op());
  if (from == nullptr || from == context) return OkStatus();
  WhileContext* const loop = LoopAround(context);
  WhileContext* const from_loop = from->while_context();
  if (loop == nullptr) {
    const bool passes = node.op == "Enter" || node.op == "RefEnter" || node.op == "Switch" ||
                        node.op == "RefSwitch";
    if (from_loop == nullptr || passes) return OkStatus();
    return InvalidArgument("Cannot use '", input.op().name(), "' as input to '", node.name,
                           "' because '", input.op().name(), "' is in a while loop.");
  }
  if (IsWithin(loop, from_loop)) return OkStatus();
  if (loop->gradient() != nullptr) {
    WhileContext* const forward = loop->gradient()->forward_context();
    if (IsWithin(forward, from_loop)) return OkStatus();
    if (from_loop->outer() == forward) return OkStatus();
  }
  return InvalidArgument("Cannot use '", input.op().name(), "' as input to '", node.name,
                         "' because they are in different while loops.");
}

StatusOr<std::pair<Output, Output>> AddSwitch(const Output& data, const Output& pred,
                                              std::string_view name) {
  Graph& graph = *data.graph();
  BuildState& state = graph.build_state();
  auto colocations = std::exchange(state.colocations, {data.op()});
  auto added =
      TryAddOp(graph, IsRef(data.dtype()) ? "RefSwitch" : "Switch", {data, pred}, {}, name);
  state.colocations = std::move(colocations);
  RAMET_RETURN_IF_ERROR(added.status());
  return std::pair(added->output(0), added->output(1));
}

}  // namespace ramet
