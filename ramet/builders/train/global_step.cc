#include "ramet/builders/train/global_step.h"

#include "ramet/builders/initializers.h"
#include "ramet/graph/build_state.h"

namespace ramet {
namespace {

Variable FindGlobalStep(Graph& graph) {
  auto listed = graph.collections().Get<Variable>(graph_keys::kGlobalStep);
  if (!listed.empty()) return listed[0];
  for (const Variable& v : graph.collections().Get<Variable>(graph_keys::kGlobalVariables)) {
    if (v.op_name() == "global_step") return v;
  }
  return Variable();
}

}  // namespace

Variable GetGlobalStep(Graph& graph) {
  Variable step = FindGlobalStep(graph);
  if (!step.valid()) return step;
  const Shape shape = step.shape();
  if (IsInteger(step.dtype()) && (shape.unknown_rank() || shape.rank() == 0)) return step;
  graph.RecordError(InvalidArgument("the global step '", step.op_name(),
                                    "' must be an integer scalar, but it is ",
                                    DTypeName(step.dtype()), shape));
  return Variable();
}

Variable GetOrCreateGlobalStep(Graph& graph) {
  if (FindGlobalStep(graph).valid()) return GetGlobalStep(graph);
  Scope here(graph);
  Scope root = here.NameScope("");
  BuildState& state = graph.build_state();
  state.variable_scope.name.clear();
  VariableOptions options;
  options.initializer = Zeros();
  options.dtype = kInt64;
  options.trainable = false;
  options.collections = {graph_keys::kGlobalVariables, graph_keys::kGlobalStep};
  return root.GetVariable("global_step", Shape(), options);
}

}  // namespace ramet
