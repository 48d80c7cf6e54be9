#include "ramet/gradients/body_gradient.h"

#include <algorithm>

#include "ramet/gradients/between_set.h"
#include "ramet/gradients/gradient_work.h"
#include "ramet/gradients/gradients.h"
#include "ramet/gradients/indexed_slices.h"
#include "ramet/gradients/shape_ops.h"
#include "ramet/graph/graph_data.h"

namespace ramet {
namespace {

// More deeply nested calls are differentiated at run time.
constexpr size_t kMaxCallDepth = 32;

// Returns the first position of each tensor.
std::unordered_map<Output, int, OutputHash> PositionsOf(const std::vector<Output>& outputs) {
  std::unordered_map<Output, int, OutputHash> positions;
  for (size_t i = 0; i < outputs.size(); ++i) {
    positions.try_emplace(outputs[i], static_cast<int>(i));
  }
  return positions;
}

// Adds the nodes that `open` needs through data and control edges, except those for which `stop` is
// true. `seen` contains those of `open`.
template <class Stop>
void Walk(const GraphData& impl, const Stop& stop, std::vector<bool>* seen,
          std::vector<NodeId>* open) {
  for (size_t i = 0; i < open->size(); ++i) {
    const NodeId id = (*open)[i];
    for (auto edges : {impl.inputs(id), impl.controls(id)}) {
      for (Endpoint e : edges) {
        if ((*seen)[static_cast<size_t>(e.node)] || stop(e.node)) continue;
        (*seen)[static_cast<size_t>(e.node)] = true;
        open->push_back(e.node);
      }
    }
  }
}

}  // namespace

StatusOr<std::unique_ptr<BodyGradient>> BodyGradient::New(const Graph& graph,
                                                          const FunctionRef& ref) {
  RAMET_ASSIGN_OR_RETURN(auto body, InstantiateFunction(graph, ref));
  std::unique_ptr<BodyGradient> made(new BodyGradient(std::move(body)));
  made->num_forward_ = made->graph().num_operations();
  made->num_counted_ = made->num_forward_;
  CountBody(made->body().ref.name, made->num_forward_);
  made->grad_ys_.resize(made->body().returns.size());
  made->arg_grads_.resize(made->body().args.size());
  made->args_ = PositionsOf(made->body().args);
  made->returns_ = PositionsOf(made->body().returns);
  made->FindForward();
  return made;
}

bool GradientMustWait(const FunctionRef& function) {
  return IsAtWork(function.name) || NumFunctionsAtWork() >= kMaxCallDepth;
}

Status BodyGradient::Differentiate(const std::vector<bool>& arrives) {
  RAMET_RETURN_IF_ERROR(CheckFunctionMayStart(body_->ref.name));
  const FunctionAtWork at_work(body_->ref.name);
  std::vector<Output> ys;
  GradientsOptions options;
  for (size_t i = 0; i < arrives.size(); ++i) {
    const Output& y = body_->returns[i];
    if (!arrives[i] || !IsTrainableType(y.dtype())) continue;
    const DType dtype = BaseType(y.dtype());
    grad_ys_[i] = AddPlaceholder(dtype, StrCat("grad_ys/", body_->return_names[i]));
    if (dtype != DType::kVariant) RAMET_RETURN_IF_ERROR(graph().SetShape(grad_ys_[i], y.shape()));
    ys.push_back(y);
    options.grad_ys.emplace_back(grad_ys_[i]);
  }
  std::vector<GradientTarget> xs;
  std::vector<size_t> positions;
  for (size_t i = 0; i < body_->args.size(); ++i) {
    if (!IsTrainableType(body_->args[i].dtype())) continue;
    xs.emplace_back(body_->args[i]);
    positions.push_back(i);
  }
  if (xs.empty() || ys.empty()) return graph().status();
  auto grads = Gradients(ys, xs, options);
  if (!grads.ok()) return grads.status().WithContext(StrCat("function '", body_->ref.name, "'"));
  for (size_t i = 0; i < positions.size(); ++i) {
    arg_grads_[positions[i]] = DenseGradient((*grads)[i]);
  }
  FindForward();
  CountNodes();
  return graph().status();
}

// Finds the original operations, and those that they use since (inputs of calls that were
// extended).
void BodyGradient::FindForward() {
  const GraphData& impl = GraphDataOf(graph());
  ReaderLock lock(impl.mutex);
  std::vector<NodeId> open;
  for (NodeId id = 0; id < num_forward_; ++id) open.push_back(id);
  forward_.assign(static_cast<size_t>(num_forward_), true);
  forward_.resize(impl.nodes.size());
  Walk(
      impl, [](NodeId) { return false; }, &forward_, &open);
}

// Returns the gradient operations that `grads` need.
std::vector<NodeId> BodyGradient::NeededBy(const std::vector<Output>& grads) const {
  const GraphData& impl = GraphDataOf(graph());
  ReaderLock lock(impl.mutex);
  std::vector<bool> seen(impl.nodes.size());
  std::vector<NodeId> open;
  for (const Output& g : grads) {
    if (!g.valid() || !IsGradient(g.op().id()) || seen[static_cast<size_t>(g.op().id())]) continue;
    seen[static_cast<size_t>(g.op().id())] = true;
    open.push_back(g.op().id());
  }
  Walk(
      impl, [this](NodeId id) { return !IsGradient(id); }, &seen, &open);
  return open;
}

// Counts the operations that were added since the last time.
void BodyGradient::CountNodes() {
  const int nodes = graph().num_operations();
  CountAdded(nodes - num_counted_);
  num_counted_ = nodes;
}

Output BodyGradient::AddPlaceholder(DType dtype, std::string_view name) {
  return AddOp(graph(), "Placeholder", {}, {{"dtype", dtype}}, name).output(0);
}

Output BodyGradient::ZerosFor(size_t arg, DType dtype) {
  const Output& x = body_->args[arg];
  if (BaseType(x.dtype()) != DType::kResource) return ZerosLikeOutput(x, false);
  return FillWith(graph(), AddOp(graph(), "VariableShape", {x}).output(0), dtype, 0, "zeros");
}

Status BodyGradient::Capture(std::vector<Output>* grads) {
  for (Output& g : *grads) {
    if (g.valid() && !IsGradient(g.op().id())) g = AddOp(graph(), "Identity", {g}).output(0);
  }
  RAMET_RETURN_IF_ERROR(graph().status());
  for (NodeId id : NeededBy(*grads)) {
    const Operation op(&graph(), id);
    for (int i = 0; i < op.num_inputs(); ++i) {
      const Output input = op.input(i);
      if (IsGradient(input.op().id())) continue;
      if (input.op().type() == "Const") {
        auto value = input.op().attr<Tensor>("value");
        if (!value.ok()) return value.status();
        RAMET_RETURN_IF_ERROR(
            graph().UpdateInput(op, i, Constant(graph(), *value, input.op().name())));
      } else if (captured_.insert(input).second) {
        captures_.push_back(input);
      }
    }
  }
  CountNodes();
  RAMET_RETURN_IF_ERROR(CheckGradientWork());
  return graph().status();
}

Status BodyGradient::Replace(const std::vector<Output>& captures, const std::vector<Output>& values,
                             const std::vector<Output>& grads) {
  std::unordered_map<Output, size_t, OutputHash> positions;
  for (size_t i = 0; i < captures.size(); ++i) positions.emplace(captures[i], i);
  for (NodeId id : NeededBy(grads)) {
    const Operation op(&graph(), id);
    for (int i = 0; i < op.num_inputs(); ++i) {
      const auto found = positions.find(op.input(i));
      if (found == positions.end()) continue;
      RAMET_RETURN_IF_ERROR(graph().UpdateInput(op, i, values[found->second]));
    }
  }
  CountNodes();
  return OkStatus();
}

int BodyGradient::ArgOf(const Output& output) const {
  const auto found = args_.find(output);
  return found == args_.end() ? -1 : found->second;
}

int BodyGradient::ReturnOf(const Output& output) const {
  const auto found = returns_.find(output);
  return found == returns_.end() ? -1 : found->second;
}

bool BodyGradient::IsStateful(const std::vector<Output>& grads) const {
  return std::ranges::any_of(NeededBy(grads), [this](NodeId id) {
    return graph().operation(id).op().schema().is_stateful;
  });
}

}  // namespace ramet
