#include "ramet/gradients/symbolic_gradient.h"

#include <algorithm>

#include "ramet/gradients/between_set.h"
#include "ramet/gradients/body_gradient.h"
#include "ramet/gradients/shape_ops.h"

namespace ramet {
namespace {

// Returns the function that a node calls: its attr "f", or its op with the node's attrs.
FunctionRef Called(const Operation& op) {
  auto stated = op.attr<FunctionRef>("f");
  if (OpRegistry::Global().Find(op.type()) != nullptr && stated.ok()) return *stated;
  return {op.type(), op.attrs()};
}

// A gradient function takes the arguments and the gradients of all results; missing gradients are
// zeros.
Output GradientOrZeros(GradientContext& c, int i) {
  if (IsTrainableType(c.output(i).dtype())) return c.grad(i);
  return ZerosLikeOutput(c.output(i), false);
}

// Returns the dtype of an argument's gradient; for a resource, the dtype of its variable.
DType TypeOfGradient(const Output& x) {
  const DType dtype = BaseType(x.dtype());
  if (dtype != DType::kResource) return dtype;
  const DType content = HandleType(x);
  return content == DType::kInvalid ? DType::kFloat : content;
}

// Adds a call, where `op` is SymbolicGradient of a function or a call of its gradient function.
Status AddGradientCall(GradientContext& c, const char* op, const FunctionRef& function) {
  std::vector<Input> inputs;
  std::vector<DType> in_types, out_types;
  auto add = [&](const Output& o) {
    inputs.emplace_back(o);
    if (o.valid()) in_types.push_back(BaseType(o.dtype()));
  };
  for (int i = 0; i < c.num_inputs(); ++i) {
    add(c.input(i));
    out_types.push_back(TypeOfGradient(c.input(i)));
  }
  for (int i = 0; i < c.num_outputs(); ++i) add(GradientOrZeros(c, i));
  RAMET_RETURN_IF_ERROR(c.graph().status());
  const Operation call = c.AddOperation(
      op, inputs, {{"Tin", std::move(in_types)}, {"Tout", std::move(out_types)}, {"f", function}});
  RAMET_RETURN_IF_ERROR(c.graph().status());
  std::vector<Gradient> grads(static_cast<size_t>(c.num_inputs()));
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (IsTrainableType(c.input(i).dtype())) grads[static_cast<size_t>(i)] = call.output(i);
  }
  return c.Return(std::move(grads));
}

// Makes the body of SymbolicGradient for a function: the function's own body with gradients added.
StatusOr<std::unique_ptr<FunctionBody>> MakeGradientBody(const Graph& graph,
                                                         const FunctionRef& ref) {
  RAMET_ASSIGN_OR_RETURN(auto gradient, BodyGradient::New(graph, ref));
  const std::vector<Output> args = gradient->body().args;
  const std::vector<Output> returns = gradient->body().returns;
  RAMET_RETURN_IF_ERROR(gradient->Differentiate(std::vector<bool>(returns.size(), true)));
  std::vector<Output> all = args, grads = gradient->arg_grads();
  for (size_t i = 0; i < returns.size(); ++i) {
    const Output& given = gradient->grad_ys()[i];
    all.push_back(given.valid() ? given
                                : gradient->AddPlaceholder(BaseType(returns[i].dtype()), "unused"));
  }
  for (size_t i = 0; i < grads.size(); ++i) {
    if (!grads[i].valid()) grads[i] = gradient->ZerosFor(i, TypeOfGradient(args[i]));
  }
  RAMET_RETURN_IF_ERROR(gradient->graph().status());
  std::unique_ptr<FunctionBody> made = gradient->TakeBody();
  made->args = std::move(all);
  made->return_names.clear();
  for (const Output& arg : args) made->return_names.push_back(StrCat("d", arg.op().name()));
  made->returns = std::move(grads);
  made->controls.clear();
  return made;
}

[[maybe_unused]] const bool registered = (RegisterGradientBodyMaker(&MakeGradientBody), true);

// Defines the result of FindGradientFunction as a function of the library.
StatusOr<FunctionRef> DefineGradientOf(Graph& graph, const FunctionRef& function) {
  const std::string known = GradientFunctionName(graph, function.name);
  if (!known.empty()) return FunctionRef{known, function.attrs};
  RAMET_ASSIGN_OR_RETURN(auto body, FindGradientFunction(graph, function));
  const std::string name = UniqueFunctionName(graph, StrCat(function.name, "_gradient"));
  FunctionSpec spec{.name = name, .args = body->args, .returns = body->returns};
  spec.return_names = body->return_names;
  RAMET_RETURN_IF_ERROR(DefineFunction(graph, *body->graph, spec));
  return FunctionRef{name, std::make_shared<const AttrMap>()};
}

}  // namespace

Status SymbolicCallGradient(GradientContext& c) {
  return AddGradientCall(c, "SymbolicGradient", Called(c.op()));
}

Status SymbolicGradientGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(const FunctionRef function, c.attr<FunctionRef>("f"));
  RAMET_ASSIGN_OR_RETURN(const FunctionRef first, DefineGradientOf(c.graph(), function));
  RAMET_ASSIGN_OR_RETURN(const FunctionRef second, DefineGradientOf(c.graph(), first));
  return AddGradientCall(c, "StatefulPartitionedCall", second);
}

}  // namespace ramet
