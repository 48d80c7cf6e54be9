#include "ramet/ops/data_flow/tensor_array_grad.h"

#include "ramet/graph/scope.h"

namespace ramet::tensor_array {
namespace {

// Returns which call of Gradients created a tensor: the name of the tensor up to the last part that
// begins with "gradients".
StatusOr<std::string> GradientSource(const Output& tensor) {
  const std::string name = tensor.name();
  size_t end = std::string::npos;
  for (size_t at = 0; at != std::string::npos;) {
    const size_t slash = name.find('/', at);
    if (name.compare(at, 9, "gradients") == 0) end = std::min(slash, name.size());
    at = slash == std::string::npos ? slash : slash + 1;
  }
  if (end != std::string::npos) return name.substr(0, end);
  return InvalidArgument(
      "Expected op/tensor name to start with gradients (excluding scope), got: ", name,
      ". This means that a tf.gradients op with this op in its dependency path has a custom name "
      "that does not start with 'gradients'. Please make sure all calls to tf.gradients that have "
      "non-empty `name` arguments use names that start with 'gradients'.");
}

// The gradient of an array: its handle, and the flow of the ops on it so far.
struct ArrayGradient {
  Output handle, flow;
};

StatusOr<ArrayGradient> GradientOf(GradientContext& c, const Output& source, const Output& flow) {
  RAMET_ASSIGN_OR_RETURN(std::string name, GradientSource(source));
  Scope here(c.graph());
  Scope scope = here.NameScope("TensorArrayGrad");
  Scope beside = scope.ColocateWith(c.input(0).op());
  const Operation made =
      c.AddOperation("TensorArrayGradV3", {c.input(0), flow}, {{"source", std::move(name)}});
  RAMET_RETURN_IF_ERROR(c.graph().status());
  Scope after = beside.ControlDependencies({made});
  return ArrayGradient{made.output(0), c.Add("Identity", {flow}, {}, "gradient_flow")};
}

// Adds an op that writes to a gradient, in its own name scope, and returns its flow.
Output AddWriter(GradientContext& c, std::string_view op, const std::vector<Input>& inputs,
                 std::string_view scope_name) {
  Scope here(c.graph());
  Scope scope = here.NameScope(scope_name);
  return c.Add(op, inputs);
}

// Returns a flow after which everything that must be read has been written: the writer has run, and
// its gradients have arrived.
Output WriteBarrier(GradientContext& c) {
  const Output written = c.Add("Identity", {c.output(0)}, {}, "flow_out");
  Scope here(c.graph());
  if (!written.valid()) return Output();
  Scope after = here.ControlDependencies({written.op()});
  return c.Add("Identity", {c.grad(0)}, {}, "write_barrier");
}

Shape AnyShape() { return Shape::Unknown(); }

}  // namespace

Status ReadGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(ArrayGradient g, GradientOf(c, c.grad(0), c.input(2)));
  const Output flow = AddWriter(c, "TensorArrayWriteV3", {g.handle, c.input(1), c.grad(0), g.flow},
                                "TensorArrayWrite");
  return c.Return({Gradient(), Gradient(), flow});
}

Status WriteGradient(GradientContext& c) {
  const Output barrier = WriteBarrier(c);
  RAMET_ASSIGN_OR_RETURN(ArrayGradient g, GradientOf(c, c.grad(0), barrier));
  const Output value = c.Add("TensorArrayReadV3", {g.handle, c.input(1), g.flow},
                             {{"dtype", BaseType(c.input(2).dtype())}});
  return c.Return({Gradient(), Gradient(), value, barrier});
}

Status GatherGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(ArrayGradient g, GradientOf(c, c.grad(0), c.input(2)));
  const Output flow = AddWriter(c, "TensorArrayScatterV3",
                                {g.handle, c.input(1), c.grad(0), g.flow}, "TensorArrayScatter");
  return c.Return({Gradient(), Gradient(), flow});
}

Status ScatterGradient(GradientContext& c) {
  const Output barrier = WriteBarrier(c);
  RAMET_ASSIGN_OR_RETURN(ArrayGradient g, GradientOf(c, c.grad(0), barrier));
  const Output value =
      c.Add("TensorArrayGatherV3", {g.handle, c.input(1), g.flow},
            {{"dtype", BaseType(c.input(2).dtype())}, {"element_shape", AnyShape()}});
  return c.Return({Gradient(), Gradient(), value, barrier});
}

Status ConcatGradient(GradientContext& c) {
  RAMET_ASSIGN_OR_RETURN(ArrayGradient g, GradientOf(c, c.grad(0), c.input(1)));
  const Output flow = AddWriter(c, "TensorArraySplitV3", {g.handle, c.grad(0), c.output(1), g.flow},
                                "TensorArraySplit");
  return c.Return({Gradient(), flow});
}

Status SplitGradient(GradientContext& c) {
  const Output barrier = WriteBarrier(c);
  RAMET_ASSIGN_OR_RETURN(ArrayGradient g, GradientOf(c, c.grad(0), barrier));
  const Output value =
      c.Add("TensorArrayConcatV3", {g.handle, g.flow},
            {{"dtype", BaseType(c.input(1).dtype())}, {"element_shape_except0", AnyShape()}});
  return c.Return({Gradient(), value, Gradient(), barrier});
}

}  // namespace ramet::tensor_array
