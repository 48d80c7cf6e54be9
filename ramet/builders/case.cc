#include "ramet/builders/case.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "ramet/builders/math.h"
#include "ramet/builders/tensors.h"
#include "ramet/graph/build_state.h"
#include "ramet/graph/control_flow_context.h"

namespace ramet {
namespace {

using Branches = std::vector<CaseBranch>;

// Implements tf.Assert: the Assert op and the message are in a branch that is taken only if `holds`
// is false. Wait for the returned operation to wait for the check.
Operation CheckThat(Graph& graph, const Output& holds, const std::vector<Input>& data,
                    int64_t summarize) {
  Scope here(graph);
  Scope scope = here.NameScope("Assert");
  for (const Input& input : data) {
    if (input.is_constant()) Constant(graph, input.constant());  // like TensorFlow, takes up a name
  }
  auto pivot_after = [&](const Operation& op) {
    Scope inside(graph);
    Scope after = inside.ControlDependencies({op});
    const Output pivot = graph.build_state().control_flow.current->control_pivot();
    return Outputs{AddOp(graph, "Identity", {pivot}, {}, "control_dependency").output(0)};
  };
  auto fail = [&] {
    std::vector<Input> inputs{holds};
    inputs.insert(inputs.end(), data.begin(), data.end());
    AttrMap attrs;
    attrs.Set("summarize", summarize);
    return pivot_after(AddOp(graph, "Assert", inputs, std::move(attrs), "Assert"));
  };
  const Outputs checked = Cond(
      scope, holds, [&] { return pivot_after(AddOp(graph, "NoOp", {})); }, fail, "AssertGuard");
  return checked.empty() ? Operation() : checked[0].op();
}

Output Stacked(const Branches& branches) {
  std::vector<Input> preds;
  for (const CaseBranch& b : branches) preds.emplace_back(b.pred);
  return Stack(preds, 0, "preds_c");
}

Operation CheckThatAtMost(Graph& graph, int count, const Branches& branches,
                          const std::string& message) {
  const Output preds = Stacked(branches);
  if (!preds.valid()) return {};
  const Output held = ReduceSum(CastTo(preds, kInt32), {}, {.name = "num_true_conds"});
  const Output limit = Constant(graph, Tensor(int32_t{count}), "n_true_conds");
  const Output holds = AddOp(graph, "LessEqual", {held, limit}).output(0);
  std::string names;
  for (const CaseBranch& b : branches) {
    names += StrCat(names.empty() ? "" : ", ", b.pred.name());
  }
  return CheckThat(
      graph, holds,
      {StrCat(message, ": more than ", count, " conditions (", names, ") evaluated as True:"),
       preds},
      static_cast<int64_t>(branches.size()));
}

// The last branch if there is no default. A run checks that its condition is true.
Outputs LastResort(Graph& graph, const Branches& branches) {
  const Branches others(branches.begin(), branches.end() - 1);
  std::vector<Operation> checks;
  const Output all = Stacked(branches);
  if (!others.empty()) {
    checks.push_back(
        CheckThatAtMost(graph, 0, others,
                        StrCat("Implementation error: selected default action #", others.size(),
                               " was called, but some of other predicates are True: ")));
  }
  checks.push_back(CheckThat(graph, branches.back().pred,
                             {"Input error: None of conditions evaluated as True:", all}, 3));
  if (!std::ranges::all_of(checks, &Operation::valid)) return {};
  Scope here(graph);
  Scope after = here.ControlDependencies(checks);
  return branches.back().branch();
}

Outputs Chosen(Graph& graph, const Branches& branches, size_t next,
               const std::function<Outputs()>& otherwise) {
  if (next == branches.size()) return otherwise();
  Scope here(graph);
  return Cond(here, branches[next].pred, branches[next].branch,
              [&] { return Chosen(graph, branches, next + 1, otherwise); });
}

}  // namespace

Outputs Case(Scope& scope, const std::vector<CaseBranch>& branches,
             const std::function<Outputs()>& otherwise, const CondCaseOptions& options) {
  Graph& graph = scope.graph();
  if (branches.empty()) {
    graph.RecordError(InvalidArgument("Case needs at least one branch"));
    return {};
  }
  if (!std::ranges::all_of(branches, [](const CaseBranch& b) { return b.pred.valid(); })) return {};
  Scope inner = scope.NameScope(options.name);
  Branches taken = branches;
  auto last = otherwise;
  if (!otherwise) {
    last = [&] { return LastResort(graph, branches); };
    taken.pop_back();
  }
  if (!options.exclusive || taken.empty()) return Chosen(graph, taken, 0, last);
  const Operation check = CheckThatAtMost(graph, 1, taken, "Input error: exclusive=True");
  if (!check.valid()) return {};
  Scope after = inner.ControlDependencies({check});
  return Chosen(graph, taken, 0, last);
}

}  // namespace ramet
