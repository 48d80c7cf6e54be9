#include "ramet/gradients/body_gradient.h"

#include <algorithm>

#include "ramet/base/thread_storage.h"
#include "ramet/gradients/between_set.h"
#include "ramet/gradients/gradients.h"
#include "ramet/gradients/indexed_slices.h"
#include "ramet/gradients/shape_ops.h"
#include "ramet/graph/graph_data.h"

namespace ramet {
namespace {

// The functions that this thread is differentiating, each called by the previous one.
constexpr size_t kMaxCallDepth = 32, kMaxDepth = 100;
constexpr int kMaxFunctions = 4096;
RAMET_THREAD_LOCAL std::vector<std::string> functions_at_work;
// The number of functions since the outermost one began. It can grow exponentially, since each call
// repeats the calls inside it.
thread_local int functions_done = 0;

class AtWork {
 public:
  explicit AtWork(const std::string& function) {
    if (functions_at_work.empty()) functions_done = 0;
    ++functions_done;
    functions_at_work.push_back(function);
  }
  ~AtWork() { functions_at_work.pop_back(); }
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;
};

bool IsAtWork(const std::string& function) {
  return std::ranges::find(functions_at_work, function) != functions_at_work.end();
}

Status CheckDepth(const std::string& function) {
  if (IsAtWork(function)) {
    return ResourceExhausted("function '", function,
                             "' is its own branch or loop body, so its gradient would be infinite; "
                             "call it with PartitionedCall or by its name there");
  }
  if (functions_at_work.size() >= kMaxDepth) {
    return ResourceExhausted("function '", function, "': branches and loops are nested more than ",
                             functions_at_work.size(), " deep, the limit for gradients");
  }
  if (!functions_at_work.empty() && functions_done >= kMaxFunctions) {
    return ResourceExhausted("function '", functions_at_work.front(), "' has more nested calls ",
                             "than ", kMaxFunctions, ", the limit for gradients");
  }
  return OkStatus();
}

int PositionOf(const std::vector<Output>& outputs, const Output& output) {
  auto it = std::ranges::find(outputs, output);
  return it == outputs.end() ? -1 : static_cast<int>(it - outputs.begin());
}

void Walk(const GraphData& impl, const std::function<bool(NodeId)>& stop,
          std::unordered_set<NodeId>* seen, std::vector<NodeId>* open) {
  for (size_t i = 0; i < open->size(); ++i) {
    const NodeId id = (*open)[i];
    for (auto edges : {impl.inputs(id), impl.controls(id)}) {
      for (Endpoint e : edges) {
        if (!stop(e.node) && seen->insert(e.node).second) open->push_back(e.node);
      }
    }
  }
}

}  // namespace

std::vector<NodeId> AncestorsOf(const Graph& graph, const std::vector<Output>& outputs,
                                const std::function<bool(NodeId)>& stop) {
  const GraphData& impl = GraphDataOf(graph);
  ReaderLock lock(impl.mutex);
  std::unordered_set<NodeId> seen;
  std::vector<NodeId> open;
  for (const Output& o : outputs) {
    const NodeId id = o.op().id();
    if (!stop(id) && seen.insert(id).second) open.push_back(id);
  }
  Walk(impl, stop, &seen, &open);
  return open;
}

StatusOr<std::unique_ptr<BodyGradient>> BodyGradient::New(const Graph& graph,
                                                          const FunctionRef& ref) {
  RAMET_ASSIGN_OR_RETURN(auto body, InstantiateFunction(graph, ref));
  std::unique_ptr<BodyGradient> made(new BodyGradient(std::move(body)));
  made->num_forward_ = made->graph().num_operations();
  made->grad_ys_.resize(made->body().returns.size());
  made->arg_grads_.resize(made->body().args.size());
  made->FindForward();
  return made;
}

bool GradientMustWait(const FunctionRef& function) {
  return IsAtWork(function.name) || functions_at_work.size() >= kMaxCallDepth;
}

Status BodyGradient::Differentiate(const std::vector<bool>& arrives) {
  RAMET_RETURN_IF_ERROR(CheckDepth(body_->ref.name));
  const AtWork at_work(body_->ref.name);
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
  return graph().status();
}

// Finds the original operations, and those that they use since (inputs of calls that were
// extended).
void BodyGradient::FindForward() {
  const GraphData& impl = GraphDataOf(graph());
  ReaderLock lock(impl.mutex);
  forward_.clear();
  std::vector<NodeId> open;
  for (NodeId id = 0; id < num_forward_; ++id) {
    forward_.insert(id);
    open.push_back(id);
  }
  Walk(
      impl, [](NodeId) { return false; }, &forward_, &open);
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
  auto stop = [this](NodeId id) { return !IsGradient(id); };
  std::vector<Output> outputs;
  std::ranges::copy_if(*grads, std::back_inserter(outputs), &Output::valid);
  for (NodeId id : AncestorsOf(graph(), outputs, stop)) {
    const Operation op(&graph(), id);
    for (int i = 0; i < op.num_inputs(); ++i) {
      const Output input = op.input(i);
      if (IsGradient(input.op().id())) continue;
      if (input.op().type() == "Const") {
        auto value = input.op().attr<Tensor>("value");
        if (!value.ok()) return value.status();
        RAMET_RETURN_IF_ERROR(
            graph().UpdateInput(op, i, Constant(graph(), *value, input.op().name())));
      } else if (PositionOf(captures_, input) < 0) {
        captures_.push_back(input);
      }
    }
  }
  return graph().status();
}

Status BodyGradient::Replace(const Output& capture, const Output& value,
                             const std::vector<Output>& grads) {
  std::vector<Output> outputs;
  std::ranges::copy_if(grads, std::back_inserter(outputs), &Output::valid);
  const auto needed = AncestorsOf(graph(), outputs, [this](NodeId id) { return !IsGradient(id); });
  for (NodeId id : needed) {
    const Operation op(&graph(), id);
    for (int i = 0; i < op.num_inputs(); ++i) {
      if (op.input(i) == capture) RAMET_RETURN_IF_ERROR(graph().UpdateInput(op, i, value));
    }
  }
  return OkStatus();
}

int BodyGradient::ArgOf(const Output& output) const { return PositionOf(body_->args, output); }
int BodyGradient::ReturnOf(const Output& output) const {
  return PositionOf(body_->returns, output);
}

bool BodyGradient::IsStateful(const std::vector<Output>& grads) const {
  std::vector<Output> outputs;
  std::ranges::copy_if(grads, std::back_inserter(outputs), &Output::valid);
  const auto needed = AncestorsOf(graph(), outputs, [this](NodeId id) { return !IsGradient(id); });
  return std::ranges::any_of(
      needed, [this](NodeId id) { return graph().operation(id).op().schema().is_stateful; });
}

}  // namespace ramet
