#include "ramet/gradients/call_rewrite.h"

#include <algorithm>

namespace ramet {
namespace {

// Returns the name without the suffixes of earlier gradients.
std::string BaseName(const std::string& name) {
  return name.substr(0, std::min(name.find("_forward"), name.find("_grad")));
}

}  // namespace

AttrMap AttrsOfGradientCall(const AttrMap& attrs) {
  AttrMap kept;
  for (const char* name : {"config", "config_proto", "executor_type", "parallel_iterations",
                           "_lower_using_switch_merge", "_stateful_parallelism"}) {
    if (const Attr* attr = attrs.Find(name)) kept.Set(name, *attr);
  }
  return kept;
}

std::string StatelessOp(const std::string& op) {
  if (op == "StatefulPartitionedCall") return "PartitionedCall";
  if (op == "If") return "StatelessIf";
  if (op == "Case") return "StatelessCase";
  return op == "While" ? "StatelessWhile" : op;
}

std::string StatefulOp(const std::string& op) {
  if (op == "PartitionedCall") return "StatefulPartitionedCall";
  return op.starts_with("Stateless") ? op.substr(std::string_view("Stateless").size()) : op;
}

std::string GradientNameFor(const Graph& graph, const FunctionRef& function) {
  return UniqueFunctionName(graph, StrCat(BaseName(function.name), "_grad"));
}

std::string ForwardNameFor(const Graph& graph, const FunctionRef& function) {
  return UniqueFunctionName(graph, StrCat(BaseName(function.name), "_forward"));
}

Status DefineForward(Graph& graph, const BodyGradient& gradient, const std::string& name,
                     const std::vector<Output>& more_args, const std::vector<Output>& more_returns,
                     bool with_effects) {
  const FunctionBody& body = gradient.body();
  FunctionSpec spec{.name = name, .args = body.args, .returns = body.returns};
  spec.controls = body.controls;
  if (with_effects) {
    spec.controls.insert(spec.controls.end(), body.effects.begin(), body.effects.end());
  }
  spec.return_names = body.return_names;
  spec.args.insert(spec.args.end(), more_args.begin(), more_args.end());
  spec.returns.insert(spec.returns.end(), more_returns.begin(), more_returns.end());
  return DefineFunction(graph, *body.graph, spec);
}

}  // namespace ramet
