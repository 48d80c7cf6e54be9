#include "ramet/gradients/gradients.h"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <unordered_set>

#include "ramet/base/exception.h"
#include "ramet/gradients/between_set.h"
#include "ramet/gradients/default_grad_ys.h"
#include "ramet/gradients/gradient_work.h"
#include "ramet/gradients/indexed_slices.h"
#include "ramet/gradients/loop_states.h"
#include "ramet/gradients/scopes.h"
#include "ramet/gradients/shape_ops.h"
#include "ramet/gradients/tuple.h"

namespace ramet {
namespace {

std::vector<NodeId> OpsOf(const std::vector<Output>& outputs) {
  std::vector<NodeId> ids;
  for (const Output& o : outputs) ids.push_back(o.op().id());
  return ids;
}

// One call of Gradients. Visits the operations between ys and xs, each after all of its consumers.
class GradientBuilder {
 public:
  GradientBuilder(Graph& graph, const std::vector<Output>& ys, const std::vector<Output>& xs,
                  const GradientsOptions& options)
      : graph_(graph),
        options_(options),
        ys_(ys),
        xs_(xs),
        between_(graph, OpsOf(ys), OpsOf(xs)),
        loops_(graph, between_) {
    for (const Output& x : xs) wanted_.insert(x.op().id());
  }

  Status Run(const std::vector<Gradient>& grad_ys) {
    std::vector<NodeId> reached;
    for (NodeId y : OpsOf(ys_)) {
      if (between_.Contains(y)) reached.push_back(y);
    }
    RAMET_RETURN_IF_ERROR(loops_.AddAll(options_.colocate_gradients_with_ops));
    between_.CountUses(graph_);
    for (size_t i = 0; i < ys_.size(); ++i) Receive(ys_[i], grad_ys[i]);
    std::unordered_set<NodeId> queued_ys;
    for (NodeId y : reached) {
      if (between_.pending(y) == 0 && queued_ys.insert(y).second) queue_.push_back(y);
    }
    RAMET_RETURN_IF_ERROR(QueueWithZeros(loops_.FirstUnusedExits(queued_ys), false));
    FindStops();
    while (!queue_.empty()) {
      const Operation op(&graph_, queue_.front());
      queue_.pop_front();
      RAMET_RETURN_IF_ERROR(Visit(op));
      for (const Output& in : op.inputs()) RAMET_RETURN_IF_ERROR(FinishUse(in));
    }
    return OkStatus();
  }

  // Adds the nodes outside of the gradients' scope, after all gradients exist.
  Status CloseLoops() { return loops_.CloseVariables(); }

  // Returns the gradient of an x after Run.
  StatusOr<Gradient> Result(const Output& x) const {
    auto done = results_.find(x.op().id());
    if (done != results_.end()) return done->second[static_cast<size_t>(x.index())];
    if (received_.contains(x.op().id()) && between_.pending(x.op().id()) > 0) {
      return Unimplemented("the gradient of ", x.name(),
                           " depends on itself through a loop, which is "
                           "not supported; differentiate outside of the loop");
    }
    return Gradient();
  }

 private:
  using PerOutput = std::vector<std::vector<Gradient>>;

  // The ops of stop_gradients, and xs that do not depend on another x, are not differentiated.
  void FindStops() {
    for (const Output& x : xs_) {
      auto comes_after_x = [&](const Output& in) { return between_.pending(in.op().id()) > 0; };
      if (std::ranges::none_of(x.op().inputs(), comes_after_x)) stops_.insert(x.op().id());
    }
    for (const Output& s : options_.stop_gradients) stops_.insert(s.op().id());
  }

  void Receive(const Output& tensor, const Gradient& gradient) {
    const NodeId id = tensor.op().id();
    if (!between_.Contains(id)) return;
    PerOutput& per_output = received_[id];
    per_output.resize(static_cast<size_t>(tensor.op().num_outputs()));
    per_output[static_cast<size_t>(tensor.index())].push_back(gradient);
  }

  Gradient Aggregate(const Operation& op, const std::vector<Gradient>& terms) {
    const bool dense = std::ranges::none_of(terms, &Gradient::sparse);
    if (options_.aggregation == Aggregation::kAddN || terms.size() < 2 || !dense) {
      return SumGradients(graph_, terms);
    }
    Scope here(graph_);
    Scope scope = here.NameScope(StrCat(op.name(), "_gradient_sum"));
    Output sum = terms[0].values;
    for (size_t i = 1; i < terms.size(); ++i) {
      sum = AddOp(graph_, "AddN", {sum, terms[i].values}).output(0);
    }
    return sum;
  }

  std::vector<Gradient> TakeOutputGradients(const Operation& op) {
    std::vector<Gradient> sums(static_cast<size_t>(op.num_outputs()));
    auto it = received_.find(op.id());
    if (it == received_.end()) return sums;
    for (size_t i = 0; i < it->second.size(); ++i) sums[i] = Aggregate(op, it->second[i]);
    received_.erase(it);
    return sums;
  }

  // An operation is ready when all uses of its outputs are differentiated; an exit of a loop, when
  // all exits of the loop are.
  Status FinishUse(const Output& tensor) {
    const NodeId id = tensor.op().id();
    const int left = between_.FinishUse(id);
    if (left < 0) return OkStatus();
    if (left > 0 && (!loops_.any() || !IsLoopSwitch(tensor.op()))) return OkStatus();
    if (!loops_.any() || !loops_.IsExit(tensor.op())) {
      queue_.push_back(id);
      return OkStatus();
    }
    auto has_gradient = [this](NodeId exit) { return received_.contains(exit); };
    const LoopStates::Exits exits = loops_.FinishExit(tensor, has_gradient);
    for (const Output& used : exits.used) queue_.push_back(used.op().id());
    return QueueWithZeros(exits.unused, exits.used.empty());
  }

  Status QueueWithZeros(const std::vector<Output>& exits, bool without) {
    for (const Output& exit : exits) {
      if (IsTrainableType(exit.dtype()) && !without) {
        RAMET_ASSIGN_OR_RETURN(Output zeros, loops_.ZerosForExit(exit));
        Receive(exit, zeros);
      }
      queue_.push_back(exit.op().id());
    }
    return graph_.status();
  }

  void KeepResult(const Operation& op, const std::vector<Gradient>& out_grads) {
    auto [it, added] = results_.try_emplace(op.id(), out_grads);
    for (size_t i = 0; i < out_grads.size() && !added; ++i) {
      if (out_grads[i].exists()) it->second[i] = out_grads[i];
    }
  }

  // Checks that gradients requested inside a loop do not depend on the initial value of a loop
  // variable.
  Status CheckLoopVariable(const Operation& op) const {
    ControlFlowContext* const current = CurrentContext(graph_);
    if (current == nullptr || current->while_context() != current) return OkStatus();
    if (!IsLoopSwitch(op) || ContextOf(op) != current) return OkStatus();
    return InvalidArgument(
        "Cannot compute gradient inside while loop with respect to op '", TargetBefore(op).name(),
        "'. We do not support taking the gradient wrt or through the initial value of a loop "
        "variable. Gradients can be computed through loop invariants or wrt the input parameters "
        "to the loop body.");
  }

  Operation TargetBefore(const Operation& op) const {
    std::vector<Operation> queue = {op};
    std::unordered_set<NodeId> seen = {op.id()};
    for (size_t i = 0; i < queue.size(); ++i) {
      const Operation at = queue[i];
      if (wanted_.contains(at.id())) return at;
      for (const Output& in : at.inputs()) {
        if (seen.insert(in.op().id()).second) queue.push_back(in.op());
      }
    }
    return op;
  }

  Status Visit(const Operation& op) {
    ColocationIf colocated(graph_, options_.colocate_gradients_with_ops, op);
    std::vector<Gradient> out_grads;
    {
      InContext arriving(graph_, loops_.ContextFor(op, true));
      out_grads = TakeOutputGradients(op);
    }
    if (wanted_.contains(op.id())) KeepResult(op, out_grads);
    InContext inside(graph_, loops_.ContextFor(op, false));
    RAMET_RETURN_IF_ERROR(CheckLoopVariable(op));
    if (std::ranges::none_of(out_grads, &Gradient::exists) || stops_.contains(op.id())) {
      return graph_.status();
    }
    RAMET_ASSIGN_OR_RETURN(GradientFunction function, GradientRegistry::Global().Find(op));
    if (!function) return graph_.status();
    return Differentiate(op, function, std::move(out_grads));
  }

  // Returns zeros for the outputs of an op without a gradient if another output has one.
  StatusOr<std::vector<Output>> ZerosForMissing(const Operation& op,
                                                const std::vector<Gradient>& out_grads) {
    std::vector<Output> zeros(out_grads.size());
    for (size_t i = 0; i < out_grads.size(); ++i) {
      const Output output = op.output(static_cast<int>(i));
      if (out_grads[i].exists() || !IsTrainableType(output.dtype())) continue;
      RAMET_ASSIGN_OR_RETURN(zeros[i], loops_.Zeros(output));
    }
    RAMET_RETURN_IF_ERROR(graph_.status());
    return zeros;
  }

  Status Differentiate(const Operation& op, const GradientFunction& function,
                       std::vector<Gradient> out_grads) {
    RAMET_ASSIGN_OR_RETURN(std::vector<Output> zeros, ZerosForMissing(op, out_grads));
    GradientContext context(op, std::move(out_grads), std::move(zeros));
    std::vector<Gradient> in_grads;
    {
      Scope here(graph_);
      Scope scope = here.NameScope(StrCat(op.name(), "_grad"));
      if (Status s = Guarded([&] { return function(context); }); !s.ok()) {
        if (IsUnimplemented(s)) return s;
        return s.WithContext(StrCat("gradient of node '", op.name(), "' (", op.type(), ")"));
      }
      RAMET_RETURN_IF_ERROR(graph_.status());
      in_grads = context.returned();
      if (in_grads.size() != static_cast<size_t>(op.num_inputs())) {
        return InvalidArgument("the gradient function of node '", op.name(), "' (", op.type(),
                               ") did not return gradients (call Return)");
      }
      if (options_.gate_gradients) in_grads = Gate(in_grads);
    }
    return Pass(op, in_grads);
  }

  std::vector<Gradient> Gate(const std::vector<Gradient>& grads) {
    if (std::ranges::count_if(grads, &Gradient::exists) < 2) return grads;
    Scope here(graph_);
    Scope anywhere = here.ClearDevice();
    WithoutColocation alone(graph_);
    return Tuple(graph_, grads);
  }

  Status Pass(const Operation& op, const std::vector<Gradient>& in_grads) {
    for (int i = 0; i < op.num_inputs(); ++i) {
      const Gradient& g = in_grads[static_cast<size_t>(i)];
      if (!g.exists()) continue;
      const Output input = op.input(i);
      const bool dense = !g.sparse() && BaseType(input.dtype()) != DType::kResource;
      if (dense && !graph_.SetShape(g.values, input.shape()).ok()) {
        return InvalidArgument(
            "Incompatible shapes between op input and calculated input gradient. "
            "Forward operation: ",
            op.name(), ". Input index: ", i, ". Original input shape: ", input.shape(),
            ". Calculated input gradient shape: ", g.values.shape());
      }
      Receive(input, g);
    }
    return graph_.status();
  }

  Graph& graph_;
  const GradientsOptions& options_;
  const std::vector<Output>& ys_;
  const std::vector<Output>& xs_;
  BetweenSet between_;
  LoopStates loops_;
  std::unordered_set<NodeId> stops_, wanted_;
  std::deque<NodeId> queue_;
  std::unordered_map<NodeId, PerOutput> received_;
  std::unordered_map<NodeId, std::vector<Gradient>> results_;
};

Status CheckHandles(const Graph& graph, const std::vector<Output>& handles, std::string_view what) {
  if (handles.empty()) return InvalidArgument("gradients need at least one of ", what);
  for (size_t i = 0; i < handles.size(); ++i) {
    if (!handles[i].valid()) {
      return InvalidArgument(what, "[", i, "] is invalid because an earlier build step failed");
    }
    if (handles[i].graph() != &graph) {
      return InvalidArgument("Tensor ", handles[i].name(), " (", what, "[", i,
                             "]) is not an element of this graph.");
    }
  }
  return OkStatus();
}

StatusOr<Graph*> CheckArguments(const std::vector<Output>& ys, const std::vector<Output>& xs,
                                const GradientsOptions& options) {
  for (const Output& y : ys) {
    if (!y.valid()) continue;
    Graph& graph = *y.graph();
    RAMET_RETURN_IF_ERROR(graph.status());
    RAMET_RETURN_IF_ERROR(CheckHandles(graph, ys, "ys"));
    RAMET_RETURN_IF_ERROR(CheckHandles(graph, xs, "xs"));
    if (!options.stop_gradients.empty()) {
      RAMET_RETURN_IF_ERROR(CheckHandles(graph, options.stop_gradients, "stop_gradients"));
    }
    return &graph;
  }
  for (const Output& x : xs) {
    if (x.valid()) RAMET_RETURN_IF_ERROR(x.graph()->status());
  }
  return InvalidArgument(
      "gradients need at least one valid y, but none was given or building it failed");
}

}  // namespace

StatusOr<std::vector<Gradient>> Gradients(const std::vector<Output>& ys,
                                          const std::vector<GradientTarget>& xs,
                                          const GradientsOptions& options) {
  std::vector<Output> targets;
  for (const GradientTarget& x : xs) targets.push_back(x.output());
  RAMET_ASSIGN_OR_RETURN(Graph * graph, CheckArguments(ys, targets, options));
  const GradientsCall call;
  GradientBuilder builder(*graph, ys, targets, options);
  std::vector<Gradient> gradients;
  {
    Scope here(*graph);
    Scope scope = here.NameScope(options.name);
    graph->UniqueName("uid");
    RAMET_ASSIGN_OR_RETURN(std::vector<Gradient> grad_ys, DefaultGradYs(*graph, ys, options));
    RAMET_RETURN_IF_ERROR(builder.Run(grad_ys));
    for (const Output& x : targets) {
      RAMET_ASSIGN_OR_RETURN(gradients.emplace_back(), builder.Result(x));
    }
  }
  RAMET_RETURN_IF_ERROR(builder.CloseLoops());
  for (size_t i = 0; i < targets.size() && options.unconnected == Unconnected::kZero; ++i) {
    if (!gradients[i].exists()) gradients[i] = ZerosLikeOutput(targets[i], true);
  }
  RAMET_RETURN_IF_ERROR(graph->status());
  return gradients;
}

}  // namespace ramet
