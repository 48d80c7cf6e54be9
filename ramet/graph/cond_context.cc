#include "ramet/graph/cond_context.h"

#include <algorithm>

#include "ramet/graph/control_flow_util.h"

namespace ramet {

CondContext& CondContext::New(Graph& graph, const Output& pred, const Output& pivot, int branch,
                              std::string_view name) {
  CondContext& context =
      Restore(graph, graph.UniqueName(name), CurrentContext(graph), pred, pivot, branch);
  context.values_.insert({pred, pivot});
  context.external_values_[pred] = pred;
  SetContext(pivot.op(), &context);
  return context;
}

CondContext& CondContext::Restore(Graph& graph, std::string name, ControlFlowContext* outer,
                                  const Output& pred, const Output& pivot, int branch) {
  std::unique_ptr<CondContext> made(
      new CondContext(graph, std::move(name), outer, pred, pivot, branch));
  CondContext& context = *made;
  graph.build_state().control_flow.contexts.push_back(std::move(made));
  return context;
}

StatusOr<Output> CondContext::AddValue(const Output& value) {
  if (values_.contains(value)) {
    auto it = external_values_.find(value);
    return it == external_values_.end() ? value : it->second;
  }
  values_.insert(value);
  Output result = value;
  if (outer_ != nullptr) {
    RAMET_ASSIGN_OR_RETURN(result, outer_->AddValue(value));
    values_.insert(result);
    external_values_[result] = result;
  }
  {
    WithoutControls outside(graph_);
    RAMET_ASSIGN_OR_RETURN(result, SwitchOf(result));
  }
  SetContext(result.op(), this);
  for (ControlFlowContext* context = this; context; context = context->outer()) {
    context->AddName(result);
  }
  external_values_[value] = result;
  return result;
}

StatusOr<Output> CondContext::SwitchOf(const Output& value) {
  RAMET_ASSIGN_OR_RETURN(auto outputs, AddSwitch(value, pred_));
  return branch_ == 0 ? outputs.first : outputs.second;
}

StatusOr<Output> CondContext::ProcessOutput(const Output& value) {
  if (values_.contains(value)) {
    auto it = external_values_.find(value);
    return it == external_values_.end() ? value : it->second;
  }
  values_.insert(value);
  Output real = value;
  if (outer_ != nullptr) {
    RAMET_ASSIGN_OR_RETURN(real, outer_->AddValue(value));
    values_.insert(real);
    external_values_[real] = real;
  }
  RAMET_ASSIGN_OR_RETURN(real, SwitchOf(real));
  external_values_[value] = real;
  return real;
}

Status CondContext::Adopt(NodeSpec* node) {
  if (node->inputs.empty()) {
    RemoveExternalControls(node);
    const bool inside = std::ranges::any_of(node->control_inputs, [&](const Operation& control) {
      return IsWithin(ContextOf(control), this);
    });
    if (!inside) node->control_inputs.push_back(pivot_.op());
    return OkStatus();
  }
  RAMET_RETURN_IF_ERROR(MapInputs(node));
  RemoveExternalControls(node);
  if (CallsFunction(*node)) node->control_inputs.push_back(pivot_.op());
  return OkStatus();
}

void CondContext::NoteAdded(const Operation& op) {
  SetContext(op, this);
  for (const Output& output : op.outputs()) {
    for (ControlFlowContext* context = this; context; context = context->outer()) {
      context->AddName(output);
    }
  }
}

}  // namespace ramet
