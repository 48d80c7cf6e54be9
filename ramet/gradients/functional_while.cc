#include "ramet/gradients/functional_while.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ramet/gradients/between_set.h"
#include "ramet/gradients/call_rewrite.h"
#include "ramet/gradients/shape_ops.h"
#include "ramet/graph/control_flow_util.h"
#include "ramet/graph/extend_operation.h"
#include "ramet/graph/scope.h"

namespace ramet {
namespace {

Output Origin(Output output) {
  while (output.op().type() == "Identity") output = output.op().input(0);
  return output;
}

// Returns the element shape of a list, as list ops take it.
Tensor ElementShape(const Output& value) {
  const Shape shape = BaseType(value.dtype()) == DType::kVariant ? Shape() : value.shape();
  if (shape.unknown_rank()) return Tensor(int32_t{-1});
  return Tensor::Vector(std::vector<int32_t>(shape.dims().begin(), shape.dims().end()));
}

// Finds the args of a body that some of its returns depend on through differentiable tensors.
class ArgsBehindReturns {
 public:
  explicit ArgsBehindReturns(const FunctionBody& body) : body_(body) {
    for (size_t i = 0; i < body.args.size(); ++i) args_.emplace(body.args[i].op().id(), i);
  }

  // Adds a return. Returns the positions of the args that only this one depends on.
  std::vector<size_t> Add(size_t position) {
    std::vector<size_t> found;
    std::vector<Operation> open;
    auto add = [&](const Output& o) {
      if (!IsTrainableType(o.dtype()) || !seen_.insert(o.op().id()).second) return;
      open.push_back(o.op());
      if (auto arg = args_.find(o.op().id()); arg != args_.end()) found.push_back(arg->second);
    };
    add(body_.returns[position]);
    for (size_t i = 0; i < open.size(); ++i) {
      for (const Output& input : Operation(open[i]).inputs()) add(input);
    }
    return found;
  }

 private:
  const FunctionBody& body_;
  std::unordered_map<NodeId, size_t> args_;
  std::unordered_set<NodeId> seen_;
};

// The functions of a While.
struct LoopFunctions {
  FunctionRef body, cond;
};

// The tensors of a loop's body that the gradients read.
struct LoopCaptures {
  // Tensors that each iteration keeps in lists.
  std::vector<Output> kept;
  // Loop invariants: in the body, and outside.
  std::vector<std::pair<Output, Output>> invariants;
};

// Builds the gradient of one While. Its loop variables are, in this order: the number of iterations
// left, the gradients of variables, the gradients of resources, the lists that the iterations
// filled, and the loop invariants.
class WhileDifferentiator {
 public:
  explicit WhileDifferentiator(GradientContext& c)
      : c_(c), op_(c.op()), graph_(c.graph()), num_vars_(static_cast<size_t>(op_.num_inputs())) {}

  Status Run() {
    RAMET_ASSIGN_OR_RETURN(functions_.body, op_.attr<FunctionRef>("body"));
    RAMET_ASSIGN_OR_RETURN(functions_.cond, op_.attr<FunctionRef>("cond"));
    RAMET_ASSIGN_OR_RETURN(body_, BodyGradient::New(graph_, functions_.body));
    if (body().args.size() != num_vars_ || body().returns.size() != num_vars_) {
      return InvalidArgument("function '", functions_.body.name, "' takes ", body().args.size(),
                             " and returns ", body().returns.size(), " tensors, but the loop has ",
                             num_vars_, " variables");
    }
    FindVariables();
    if (std::ranges::find(with_gradient_, true) == with_gradient_.end()) {
      return c_.Return(std::vector<Gradient>(num_vars_));
    }
    RAMET_RETURN_IF_ERROR(body_->Differentiate(with_gradient_));
    AddNextGradients();
    RAMET_RETURN_IF_ERROR(body_->graph().status());
    RAMET_RETURN_IF_ERROR(body_->Capture(&next_));
    RAMET_RETURN_IF_ERROR(SortCaptures());
    RAMET_RETURN_IF_ERROR(ExtendForward());
    return AddGradientLoop();
  }

 private:
  const FunctionBody& body() const { return body_->body(); }

  bool IsInvariant(size_t i) const { return Origin(body().returns[i]) == body().args[i]; }

  void FindVariables() {
    for (size_t i = 0; i < num_vars_; ++i) {
      const DType dtype = BaseType(body().args[i].dtype());
      with_gradient_.push_back(c_.raw_grad(static_cast<int>(i)).exists() &&
                               IsTrainableType(dtype) && dtype != DType::kResource);
    }
    std::vector<size_t> open;
    for (size_t i = 0; i < num_vars_; ++i) {
      if (with_gradient_[i]) open.push_back(i);
    }
    ArgsBehindReturns behind(body());
    while (!open.empty()) {
      const size_t next = open.back();
      open.pop_back();
      for (size_t i : behind.Add(next)) {
        if (with_gradient_[i] || BaseType(body().args[i].dtype()) == DType::kResource) continue;
        with_gradient_[i] = true;
        open.push_back(i);
      }
    }
  }

  // Adds the gradients that the body of the gradient loop returns.
  void AddNextGradients() {
    for (size_t i = 0; i < num_vars_; ++i) {
      if (!with_gradient_[i]) continue;
      const Output& g = body_->arg_grads()[i];
      vars_.push_back(i);
      in_.push_back(body_->grad_ys()[i]);
      next_.push_back(g.valid() ? g : body_->ZerosFor(i, DType::kInvalid));
    }
    for (size_t i = 0; i < num_vars_; ++i) {
      const Output& g = body_->arg_grads()[i];
      if (with_gradient_[i] || !g.valid()) continue;
      vars_.push_back(i);
      in_.push_back(body_->AddPlaceholder(BaseType(g.dtype()), "accumulated"));
      next_.push_back(AddOp(body_->graph(), "AddV2", {in_.back(), g}).output(0));
    }
  }

  Status SortCaptures() {
    for (const Output& capture : body_->captures()) {
      const int arg = body_->ArgOf(Origin(capture));
      if (arg >= 0 && IsInvariant(static_cast<size_t>(arg))) {
        captures_.invariants.push_back({capture, op_.input(arg)});
      } else if (BaseType(capture.dtype()) == DType::kResource) {
        return Unimplemented("gradient of node '", op_.name(), "' (", op_.type(),
                             "): its body reads the handle ", capture.name(),
                             ", which each iteration makes again; make it outside of the loop");
      } else {
        captures_.kept.push_back(capture);
      }
    }
    return OkStatus();
  }

  Status ExtendForward() {
    std::vector<Output> start;
    {
      InContext forward(graph_, ContextOf(op_));
      Scope here(graph_);
      Scope apart = here.ClearControlDependencies();
      start.push_back(Constant(graph_, Tensor(int32_t{0}), "iterations"));
      for (const Output& value : captures_.kept) {
        start.push_back(AddOp(graph_, "EmptyTensorList", {ElementShape(value), Tensor(int32_t{-1})},
                              {{"element_dtype", BaseType(value.dtype())}}, "stack")
                            .output(0));
      }
      RAMET_RETURN_IF_ERROR(graph_.status());
    }
    AttrMap attrs = *op_.attrs();
    RAMET_ASSIGN_OR_RETURN(FunctionRef body, DefineForwardBody());
    RAMET_ASSIGN_OR_RETURN(FunctionRef cond, DefineForwardCond());
    attrs.Set("body", std::move(body));
    attrs.Set("cond", std::move(cond));
    auto types = attrs.GetOr<std::vector<DType>>("T", {});
    auto shapes = attrs.GetOr<std::vector<Shape>>("output_shapes", {});
    for (const Output& output : start) {
      types.push_back(output.dtype());
      if (!shapes.empty()) shapes.emplace_back();
    }
    attrs.Set("T", std::move(types));
    attrs.Set("output_shapes", std::move(shapes));
    return ExtendOperation(op_, std::move(attrs), start);
  }

  StatusOr<FunctionRef> DefineForwardBody() {
    Graph& graph = body_->graph();
    std::vector<Output> args = {body_->AddPlaceholder(DType::kInt32, "iterations")};
    std::vector<Output> returns = {
        AddOp(graph, "AddV2", {args[0], Tensor(int32_t{1})}, {}, "count").output(0)};
    for (const Output& value : captures_.kept) {
      args.push_back(body_->AddPlaceholder(DType::kVariant, "stack"));
      returns.push_back(AddOp(graph, "TensorListPushBack", {args.back(), value},
                              {{"element_dtype", BaseType(value.dtype())}})
                            .output(0));
    }
    RAMET_RETURN_IF_ERROR(graph.status());
    const std::string name = ForwardNameFor(graph_, functions_.body);
    RAMET_RETURN_IF_ERROR(DefineForward(graph_, *body_, name, args, returns, true));
    return FunctionRef{name, std::make_shared<const AttrMap>()};
  }

  // Defines the original loop's condition with more arguments.
  StatusOr<FunctionRef> DefineForwardCond() {
    RAMET_ASSIGN_OR_RETURN(auto cond, BodyGradient::New(graph_, functions_.cond));
    std::vector<Output> args = {cond->AddPlaceholder(DType::kInt32, "iterations")};
    for (size_t i = 0; i < captures_.kept.size(); ++i) {
      args.push_back(cond->AddPlaceholder(DType::kVariant, "stack"));
    }
    RAMET_RETURN_IF_ERROR(cond->graph().status());
    const std::string name = ForwardNameFor(graph_, functions_.cond);
    RAMET_RETURN_IF_ERROR(DefineForward(graph_, *cond, name, args, {}, true));
    return FunctionRef{name, std::make_shared<const AttrMap>()};
  }

  Status AddGradientLoop() {
    std::vector<Input> inputs = {op_.output(static_cast<int>(num_vars_))};
    std::vector<Shape> shapes = {Shape()};
    for (size_t at = 0; at < vars_.size(); ++at) {
      const size_t i = vars_[at];
      const int index = static_cast<int>(i);
      inputs.emplace_back(with_gradient_[i] ? c_.grad(index) : ResourceZeros(at));
      const Shape before = op_.input(index).shape(), after = op_.output(index).shape();
      shapes.push_back(with_gradient_[i] && before == after ? after : Shape::Unknown());
    }
    for (size_t i = 0; i < captures_.kept.size(); ++i) {
      inputs.emplace_back(op_.output(static_cast<int>(num_vars_ + 1 + i)));
      shapes.emplace_back();
    }
    for (const auto& [inside, outside] : captures_.invariants) {
      inputs.emplace_back(outside);
      shapes.push_back(outside.shape());
    }
    RAMET_RETURN_IF_ERROR(graph_.status());
    std::vector<DType> types;
    for (const Input& input : inputs) types.push_back(BaseType(input.output().dtype()));
    AttrMap attrs = AttrsOfGradientCall(*op_.attrs());
    RAMET_ASSIGN_OR_RETURN(FunctionRef body, DefineGradientBody());
    RAMET_ASSIGN_OR_RETURN(FunctionRef cond, DefineGradientCond(types));
    attrs.Set("body", std::move(body));
    attrs.Set("cond", std::move(cond));
    attrs.Set("T", std::move(types));
    attrs.Set("output_shapes", std::move(shapes));
    const std::string type = body_->IsStateful(next_) ? "While" : "StatelessWhile";
    const Operation loop = c_.AddOperation(type, inputs, std::move(attrs), op_.name());
    RAMET_RETURN_IF_ERROR(graph_.status());
    std::vector<Gradient> grads(static_cast<size_t>(op_.num_inputs()));
    for (size_t i = 0; i < vars_.size(); ++i) {
      grads[vars_[i]] = loop.output(static_cast<int>(i) + 1);
    }
    RAMET_RETURN_IF_ERROR(AddZeros(&grads));
    return c_.Return(std::move(grads));
  }

  // Variables without a gradient get zeros, as in TensorFlow, which loops over all variables.
  Status AddZeros(std::vector<Gradient>* grads) {
    for (size_t i = 0; i < num_vars_; ++i) {
      const Output input = op_.input(static_cast<int>(i));
      const DType content = ContentType(input);
      if ((*grads)[i].exists() || content == DType::kVariant || !IsTrainableType(content)) continue;
      (*grads)[i] = ZerosLikeOutput(input, false);
    }
    return graph_.status();
  }

  // The initial value of the sum of the gradients of a variable, vars_[at].
  Output ResourceZeros(size_t at) {
    const Output handle = op_.input(static_cast<int>(vars_[at]));
    const Output dims = AddOp(graph_, "VariableShape", {handle}).output(0);
    return FillWith(graph_, dims, BaseType(next_[at].dtype()), 0, "zeros");
  }

  StatusOr<FunctionRef> DefineGradientBody() {
    Graph& graph = body_->graph();
    FunctionSpec spec{.name = GradientNameFor(graph_, functions_.body)};
    const Output left = body_->AddPlaceholder(DType::kInt32, "iterations_left");
    spec.args = {left};
    spec.returns = {AddOp(graph, "Sub", {left, Tensor(int32_t{1})}).output(0)};
    spec.args.insert(spec.args.end(), in_.begin(), in_.end());
    std::vector<Output> values, lists;
    for (const Output& value : captures_.kept) {
      spec.args.push_back(body_->AddPlaceholder(DType::kVariant, "stack"));
      const Operation pop =
          AddOp(graph, "TensorListPopBack", {spec.args.back(), ElementShape(value)},
                {{"element_dtype", BaseType(value.dtype())}});
      RAMET_RETURN_IF_ERROR(graph.status());
      values.push_back(pop.output(1));
      lists.push_back(pop.output(0));
    }
    RAMET_RETURN_IF_ERROR(body_->Replace(captures_.kept, values, next_));
    spec.returns.insert(spec.returns.end(), next_.begin(), next_.end());
    spec.returns.insert(spec.returns.end(), lists.begin(), lists.end());
    for (const auto& [inside, outside] : captures_.invariants) {
      spec.args.push_back(inside);
      spec.returns.push_back(inside);
    }
    RAMET_RETURN_IF_ERROR(graph.status());
    spec.inside = [this](NodeId id) { return body_->IsGradient(id); };
    RAMET_RETURN_IF_ERROR(DefineFunction(graph_, graph, spec));
    return FunctionRef{spec.name, std::make_shared<const AttrMap>()};
  }

  StatusOr<FunctionRef> DefineGradientCond(const std::vector<DType>& types) {
    const auto graph = NewFunctionGraph(graph_);
    FunctionSpec spec{.name = GradientNameFor(graph_, functions_.cond)};
    for (DType dtype : types) {
      spec.args.push_back(AddOp(*graph, "Placeholder", {}, {{"dtype", dtype}}, "arg").output(0));
    }
    spec.returns = {AddOp(*graph, "Greater", {spec.args[0], Tensor(int32_t{0})}).output(0)};
    RAMET_RETURN_IF_ERROR(DefineFunction(graph_, *graph, spec));
    return FunctionRef{spec.name, std::make_shared<const AttrMap>()};
  }

  GradientContext& c_;
  const Operation& op_;
  Graph& graph_;
  const size_t num_vars_;
  LoopFunctions functions_;
  std::unique_ptr<BodyGradient> body_;
  std::vector<bool> with_gradient_;  // by variable; false for resources
  std::vector<size_t> vars_;         // the variables with gradients, then resources
  std::vector<Output> in_, next_;    // in the body, for each of vars_
  LoopCaptures captures_;
};

}  // namespace

Status FunctionalWhileGradient(GradientContext& c) { return WhileDifferentiator(c).Run(); }

}  // namespace ramet
