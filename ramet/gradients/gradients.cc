#include "ramet/gradients/gradients.h"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <unordered_set>

#include "ramet/gradients/between_set.h"
#include "ramet/gradients/default_grad_ys.h"
#include "ramet/gradients/indexed_slices.h"
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

// One call of Gradients: visits the operations between ys and xs, each after all of its consumers.
class GradientBuilder {
 public:
  GradientBuilder(Graph& graph, const std::vector<Output>& ys, const std::vector<Output>& xs,
                  const GradientsOptions& options)
      : graph_(graph), options_(options), ys_(ys), between_(graph, OpsOf(ys), OpsOf(xs)) {
    for (const Output& x : xs) wanted_.insert(x.op().id());
    FindStops(xs);
  }

  Status Run(const std::vector<Gradient>& grad_ys) {
    if (!between_.loop_exit().empty()) {
      return Unimplemented("gradients through the while loop that ends in '", between_.loop_exit(),
                           "' are not supported; cut the path with StopGradient");
    }
    for (size_t i = 0; i < ys_.size(); ++i) Receive(ys_[i], grad_ys[i]);
    for (NodeId y : OpsOf(ys_)) {
      const bool ready = between_.Contains(y) && between_.pending(y) == 0;
      if (ready && queued_ys_.insert(y).second) queue_.push_back(y);
    }
    while (!queue_.empty()) {
      const Operation op(&graph_, queue_.front());
      queue_.pop_front();
      RAMET_RETURN_IF_ERROR(Visit(op));
      for (const Output& in : op.inputs()) {
        if (between_.FinishUse(in.op().id())) queue_.push_back(in.op().id());
      }
    }
    return OkStatus();
  }

  // The gradient of an x after Run.
  StatusOr<Gradient> Result(const Output& x) const {
    auto done = results_.find(x.op().id());
    if (done != results_.end()) return done->second[static_cast<size_t>(x.index())];
    if (received_.contains(x.op().id()) && between_.pending(x.op().id()) > 0) {
      return Unimplemented("the gradient of ", x.name(),
                           " would have to go around a loop, which is "
                           "not supported; differentiate outside of the loop");
    }
    return Gradient();
  }

 private:
  using PerOutput = std::vector<std::vector<Gradient>>;

  // The xs before which there is no other x, and the ops of stop_gradients, are not differentiated.
  void FindStops(const std::vector<Output>& xs) {
    for (const Output& x : xs) {
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

  Status Visit(const Operation& op) {
    ColocationIf beside(graph_, options_.colocate_gradients_with_ops, op);
    std::vector<Gradient> out_grads = TakeOutputGradients(op);
    if (wanted_.contains(op.id())) results_[op.id()] = out_grads;
    if (std::ranges::none_of(out_grads, &Gradient::exists) || stops_.contains(op.id())) {
      return graph_.status();
    }
    RAMET_ASSIGN_OR_RETURN(GradientFunction function, GradientRegistry::Global().Find(op));
    if (!function) return graph_.status();
    return Differentiate(op, function, std::move(out_grads));
  }

  // Zeros for the outputs of an op that no gradient arrives at, although one arrives at another.
  std::vector<Output> ZerosForMissing(const Operation& op, const std::vector<Gradient>& out_grads) {
    std::vector<Output> zeros(out_grads.size());
    for (size_t i = 0; i < out_grads.size(); ++i) {
      const Output output = op.output(static_cast<int>(i));
      const DType dtype = BaseType(output.dtype());
      const bool needed = IsTrainableType(dtype) && dtype != DType::kResource;
      if (!out_grads[i].exists() && needed) zeros[i] = ZerosLikeOutput(output, false);
    }
    return zeros;
  }

  Status Differentiate(const Operation& op, const GradientFunction& function,
                       std::vector<Gradient> out_grads) {
    std::vector<Output> zeros = ZerosForMissing(op, out_grads);
    GradientContext context(op, std::move(out_grads), std::move(zeros));
    std::vector<Gradient> in_grads;
    {
      Scope here(graph_);
      Scope scope = here.NameScope(StrCat(op.name(), "_grad"));
      if (Status s = function(context); !s.ok()) {
        return s.WithContext(StrCat("gradient of node '", op.name(), "' (", op.type(), ")"));
      }
      RAMET_RETURN_IF_ERROR(graph_.status());
      in_grads = context.returned();
      if (in_grads.size() != static_cast<size_t>(op.num_inputs())) {
        return InvalidArgument("the gradient function of node '", op.name(), "' (", op.type(),
                               ") returned without giving its gradients");
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
  BetweenSet between_;
  std::unordered_set<NodeId> stops_, wanted_, queued_ys_;
  std::deque<NodeId> queue_;
  std::unordered_map<NodeId, PerOutput> received_;
  std::unordered_map<NodeId, std::vector<Gradient>> results_;
};

Status CheckHandles(const Graph& graph, const std::vector<Output>& handles, std::string_view what) {
  if (handles.empty()) return InvalidArgument("gradients need at least one of ", what);
  for (size_t i = 0; i < handles.size(); ++i) {
    if (!handles[i].valid()) {
      return InvalidArgument(what, "[", i, "] is not valid: an earlier step of building failed");
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
      "gradients need at least one valid y: none was given, or building it failed");
}

}  // namespace

StatusOr<std::vector<Gradient>> Gradients(const std::vector<Output>& ys,
                                          const std::vector<GradientTarget>& xs,
                                          const GradientsOptions& options) {
  std::vector<Output> targets;
  for (const GradientTarget& x : xs) targets.push_back(x.output());
  RAMET_ASSIGN_OR_RETURN(Graph * graph, CheckArguments(ys, targets, options));
  std::vector<Gradient> gradients;
  {
    Scope here(*graph);
    Scope scope = here.NameScope(options.name);
    graph->UniqueName("uid");
    RAMET_ASSIGN_OR_RETURN(std::vector<Gradient> grad_ys, DefaultGradYs(*graph, ys, options));
    GradientBuilder builder(*graph, ys, targets, options);
    RAMET_RETURN_IF_ERROR(builder.Run(grad_ys));
    for (const Output& x : targets) {
      RAMET_ASSIGN_OR_RETURN(gradients.emplace_back(), builder.Result(x));
    }
  }
  for (size_t i = 0; i < targets.size() && options.unconnected == Unconnected::kZero; ++i) {
    if (!gradients[i].exists()) gradients[i] = ZerosLikeOutput(targets[i], true);
  }
  RAMET_RETURN_IF_ERROR(graph->status());
  return gradients;
}

}  // namespace ramet
