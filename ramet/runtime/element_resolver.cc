#include "ramet/runtime/element_resolver.h"

#include "ramet/tensor/outside_values.h"

namespace ramet {
namespace {

// Formats a shape as TensorFlow's client does: "(50, 784)", "(?, 784)", "(3,)".
std::string TupleText(const Shape& shape) {
  if (shape.unknown_rank()) return "<unknown>";
  std::string text = "(";
  for (int i = 0; i < shape.rank(); ++i) {
    text += StrCat(i ? ", " : "", shape.dim(i) < 0 ? std::string("?") : StrCat(shape.dim(i)));
  }
  return text + (shape.rank() == 1 ? ",)" : ")");
}

// Handles and variants mean nothing outside of the session.
Status CheckLeavesGraph(const Output& output) {
  if (output.dtype() == DType::kVariant) {
    return Unimplemented("'", output.name(),
                         "' is a variant, which can be neither fetched nor fed; fetch its "
                         "content instead (for a list, the output of a TensorListStack)");
  }
  if (output.dtype() != DType::kResource) return OkStatus();
  return Unimplemented("'", output.name(),
                       "' is the handle of a resource, which can be neither fetched nor fed; fetch "
                       "its value (the output of a ReadVariableOp)");
}

}  // namespace

StatusOr<std::variant<Output, Operation>> ElementResolver::ResolveFetch(
    const GraphElement& element) const {
  using Resolved = std::variant<Output, Operation>;
  auto foreign = [](const std::string& name) {
    return InvalidArgument(name.empty() ? "an invalid handle was fetched: building it failed"
                                        : StrCat(name, " is not an element of this graph."));
  };
  if (auto* variable = std::get_if<Variable>(&element.element())) {
    return ResolveFetch(Output(*variable));
  }
  if (auto* output = std::get_if<Output>(&element.element())) {
    if (output->graph() != &graph_) return foreign(output->name());
    RAMET_RETURN_IF_ERROR(CheckLeavesGraph(*output));
    return Resolved(*output);
  }
  if (auto* op = std::get_if<Operation>(&element.element())) {
    if (op->graph() != &graph_) return foreign(op->name());
    return Resolved(*op);
  }
  const std::string& name = std::get<std::string>(element.element());
  if (name.find(':') == std::string::npos) {
    RAMET_ASSIGN_OR_RETURN(Operation op, graph_.FindOperation(name));
    return Resolved(op);
  }
  RAMET_ASSIGN_OR_RETURN(Output output, graph_.Tensor(name));
  RAMET_RETURN_IF_ERROR(CheckLeavesGraph(output));
  return Resolved(output);
}

StatusOr<Output> ElementResolver::ResolveTensor(const GraphElement& element) const {
  RAMET_ASSIGN_OR_RETURN(auto resolved, ResolveFetch(element));
  if (auto* output = std::get_if<Output>(&resolved)) return *output;
  return InvalidArgument("Cannot feed '", std::get<Operation>(resolved).name(),
                         "': it is an operation; tensor names end in ':0' (':1', ...)");
}

Status CheckFeed(const Output& tensor, const Tensor& value) {
  const DType want = BaseType(tensor.dtype());
  if (value.empty()) return InvalidArgument("the value fed for ", tensor.name(), " is empty");
  if (value.dtype() != want) {
    return InvalidArgument("Tensor ", tensor.name(), ", specified in feeds, must be of dtype ",
                           DTypeName(want), ", but a ", DTypeName(value.dtype()),
                           " tensor was fed");
  }
  if (!HasOnlyBools(value)) {
    return InvalidArgument("the value fed for ", tensor.name(),
                           " has a byte that is neither 0 nor 1 as a bool");
  }
  const Shape shape = tensor.shape();
  if (!shape.IsCompatibleWith(value.shape())) {
    return InvalidArgument("Cannot feed value of shape ", TupleText(value.shape()), " for Tensor ",
                           tensor.name(), ", which has shape ", TupleText(shape));
  }
  return OkStatus();
}

}  // namespace ramet
