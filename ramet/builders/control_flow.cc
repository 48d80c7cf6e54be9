#include "ramet/builders/control_flow.h"

#include <algorithm>

#include "ramet/builders/tensors.h"
#include "ramet/builders/valid_outputs.h"
#include "ramet/graph/add_op.h"
#include "ramet/graph/cond_context.h"
#include "ramet/graph/control_flow_context.h"
#include "ramet/graph/while_context.h"
#include "ramet/graph_def/control_flow_proto.h"

namespace ramet {
namespace {

class Inside {
 public:
  explicit Inside(ControlFlowContext& context) : context_(context) { context_.Enter(); }
  ~Inside() { context_.Exit(); }
  Inside(const Inside&) = delete;

 private:
  ControlFlowContext& context_;
};

// Invalid outputs mean that the graph has an error.
StatusOr<Outputs> BuildBranch(CondContext& context, const std::function<Outputs()>& branch) {
  Inside inside(context);
  Outputs results = branch();
  for (Output& result : results) {
    if (!result.valid()) return results;
    RAMET_ASSIGN_OR_RETURN(result, context.ProcessOutput(result));
  }
  context.ExitResult(results);
  return results;
}

StatusOr<Output> MergeOf(const Output& otherwise, const Output& then) {
  const bool refs = IsRef(otherwise.dtype()) && IsRef(then.dtype());
  RAMET_ASSIGN_OR_RETURN(Operation merge,
                         TryAddOp(*then.graph(), refs ? "RefMerge" : "Merge", {otherwise, then}));
  return merge.output(0);
}

StatusOr<Outputs> Merged(const Outputs& then, const Outputs& otherwise) {
  if (then.size() != otherwise.size()) {
    return InvalidArgument("the branches of a cond return ", then.size(), " and ", otherwise.size(),
                           " tensors; the numbers must be equal");
  }
  if (!AllValid(then) || !AllValid(otherwise)) return Outputs(then.size());
  Outputs merged;
  for (size_t i = 0; i < then.size(); ++i) {
    if (BaseType(then[i].dtype()) != BaseType(otherwise[i].dtype())) {
      return InvalidArgument(
          "Outputs of 'true_fn' and 'false_fn' must have the same type(s). "
          "Received ",
          DTypeName(then[i].dtype()), " from 'true_fn' and ", DTypeName(otherwise[i].dtype()),
          " from 'false_fn'.");
    }
    RAMET_ASSIGN_OR_RETURN(merged.emplace_back(), MergeOf(otherwise[i], then[i]));
  }
  return merged;
}

StatusOr<Outputs> BuildCond(const Output& pred, const std::function<Outputs()>& then,
                            const std::function<Outputs()>& otherwise) {
  Graph& graph = *pred.graph();
  RAMET_ASSIGN_OR_RETURN(Operation chosen, TryAddOp(graph, "Switch", {pred, pred}));
  auto identity = [&](const Output& value, std::string_view name) {
    return AddOp(graph, "Identity", {value}, {}, name).output(0);
  };
  const Output where_true = identity(chosen.output(1), "switch_t");
  const Output where_false = identity(chosen.output(0), "switch_f");
  const Output inner_pred = identity(pred, "pred_id");
  CondContext& true_context = CondContext::New(graph, inner_pred, where_true, 1);
  RAMET_ASSIGN_OR_RETURN(const Outputs true_results, BuildBranch(true_context, then));
  CondContext& false_context = CondContext::New(graph, inner_pred, where_false, 0);
  RAMET_ASSIGN_OR_RETURN(const Outputs false_results, BuildBranch(false_context, otherwise));
  RAMET_ASSIGN_OR_RETURN(Outputs merged, Merged(true_results, false_results));
  AddToCollection(true_context);
  AddToCollection(false_context);
  return merged;
}

// Builds a loop. If there is a limit, the iteration counter is the first variable.
class LoopBuilder {
 public:
  LoopBuilder(Graph& graph, const WhileLoopOptions& options) : graph_(graph), options_(options) {}

  StatusOr<Outputs> Build(const std::function<Output(const Outputs&)>& condition,
                          const std::function<Outputs(const Outputs&)>& body,
                          const std::vector<Input>& variables) {
    if (variables.empty()) return InvalidArgument("'loop_vars' must be provided.");
    Outputs values = FirstValues(variables);
    if (!AllValid(values)) return Outputs(variables.size());
    WhileContext& loop =
        WhileContext::New(graph_, {.parallel_iterations = options_.parallel_iterations,
                                   .back_prop = options_.back_prop,
                                   .swap_memory = options_.swap_memory,
                                   .maximum_iterations = maximum_});
    AddToCollection(loop);
    RAMET_ASSIGN_OR_RETURN(values, loop.Begin(values, Invariants()));
    auto next = Iteration(loop, condition, body, values);
    if (!next.ok() || !AllValid(*next)) {
      loop.Exit();
      RAMET_RETURN_IF_ERROR(next.status());
      return Outputs(variables.size());
    }
    RAMET_ASSIGN_OR_RETURN(Outputs exits, loop.Finish(*next));
    return WithoutCounter(exits);
  }

 private:
  Outputs FirstValues(const std::vector<Input>& variables) {
    Outputs values;
    if (options_.maximum_iterations) {
      maximum_ =
          ToTensor(graph_, *options_.maximum_iterations, DType::kInvalid, "maximum_iterations");
      if (!maximum_.valid()) return {Output()};
      values.push_back(ToTensor(graph_, 0, maximum_.dtype(), "iteration_counter"));
    }
    for (const Input& variable : variables) {
      values.push_back(ToTensor(graph_, variable, DType::kInvalid, "Const"));
    }
    return values;
  }

  std::vector<Shape> Invariants() const {
    std::vector<Shape> shapes = options_.shape_invariants;
    if (!shapes.empty() && maximum_.valid()) shapes.insert(shapes.begin(), Shape());
    return shapes;
  }

  Outputs WithoutCounter(const Outputs& values) const {
    return Outputs(values.begin() + (maximum_.valid() ? 1 : 0), values.end());
  }

  StatusOr<Outputs> Iteration(WhileContext& loop,
                              const std::function<Output(const Outputs&)>& condition,
                              const std::function<Outputs(const Outputs&)>& body,
                              const Outputs& variables) {
    Output within;
    if (maximum_.valid()) within = AddOp(graph_, "Less", {variables[0], maximum_}).output(0);
    Output more = condition(WithoutCounter(variables));
    if (!more.valid()) return Outputs(variables.size());
    if (maximum_.valid()) more = AddOp(graph_, "LogicalAnd", {within, more}).output(0);
    RAMET_ASSIGN_OR_RETURN(const Outputs current, loop.SetCondition(more));
    Outputs next;
    if (maximum_.valid())
      next.push_back(AddOp(graph_, "AddV2", {current[0], 1}, {}, "add").output(0));
    const Outputs made = body(WithoutCounter(current));
    next.insert(next.end(), made.begin(), made.end());
    return next;
  }

  Graph& graph_;
  const WhileLoopOptions& options_;
  Output maximum_;
};

}  // namespace

Outputs Cond(Scope& scope, const Output& pred, const std::function<Outputs()>& then,
             const std::function<Outputs()>& otherwise, std::string_view name) {
  if (!pred.valid()) return {};
  Scope inner = scope.NameScope(name);
  auto built = BuildCond(pred, then, otherwise);
  if (built.ok()) return *std::move(built);
  scope.graph().RecordError(built.status().WithContext(inner.name()));
  return {};
}

Outputs WhileLoop(Scope& scope, const std::function<Output(const Outputs&)>& condition,
                  const std::function<Outputs(const Outputs&)>& body,
                  const std::vector<Input>& variables, const WhileLoopOptions& options) {
  Scope inner = scope.NameScope(options.name);
  auto built = LoopBuilder(scope.graph(), options).Build(condition, body, variables);
  if (built.ok()) return *std::move(built);
  scope.graph().RecordError(built.status().WithContext(inner.name()));
  return Outputs(variables.size());
}

}  // namespace ramet
