#include "ramet/edit/clone/elements.h"

namespace ramet {
namespace {

Endpoint EndpointOf(const Output& tensor) { return {tensor.op().id(), tensor.index()}; }

// Returns the element's name if it is the name of a tensor ("op:0"), otherwise null.
const std::string* TensorNameOf(const GraphElement& element) {
  const auto* name = std::get_if<std::string>(&element.element());
  return name != nullptr && name->find(':') != std::string::npos ? name : nullptr;
}

StatusOr<Output> FindTensor(const Graph& source, const std::string& name, const char* argument) {
  auto tensor = source.Tensor(name);
  if (!tensor.ok()) return tensor.status().WithContext(StrCat("clone: ", argument));
  return tensor;
}

Operation OperationOf(const GraphElement& element) {
  if (const auto* op = std::get_if<Operation>(&element.element())) return *op;
  if (const auto* tensor = std::get_if<Output>(&element.element())) return tensor->op();
  const auto& variable = std::get<Variable>(element.element());
  return variable.valid() ? variable.ref().op() : Operation();
}

}  // namespace

bool IsTensorElement(const GraphElement& element) {
  if (std::holds_alternative<std::string>(element.element())) {
    return TensorNameOf(element) != nullptr;
  }
  return !std::holds_alternative<Operation>(element.element());
}

StatusOr<NodeId> ResolveOperation(const Graph& source, const GraphElement& element,
                                  const char* argument) {
  if (const std::string* name = TensorNameOf(element)) {
    RAMET_ASSIGN_OR_RETURN(const Output tensor, FindTensor(source, *name, argument));
    return tensor.op().id();
  }
  if (const auto* name = std::get_if<std::string>(&element.element())) {
    auto found = source.FindOperation(*name);
    if (!found.ok()) return found.status().WithContext(StrCat("clone: ", argument));
    return found->id();
  }
  const Operation op = OperationOf(element);
  if (op.valid() && op.graph() == &source) return op.id();
  return InvalidArgument("clone: ", argument, ": ",
                         op.valid() ? StrCat("'", op.name(), "' is not an element of the source")
                                    : "an invalid handle");
}

StatusOr<Endpoint> ResolveTensor(const Graph& source, const GraphElement& element,
                                 const char* argument) {
  if (const std::string* name = TensorNameOf(element)) {
    RAMET_ASSIGN_OR_RETURN(const Output tensor, FindTensor(source, *name, argument));
    return EndpointOf(tensor);
  }
  RAMET_ASSIGN_OR_RETURN(const NodeId id, ResolveOperation(source, element, argument));
  if (const auto* tensor = std::get_if<Output>(&element.element())) return EndpointOf(*tensor);
  if (const auto* v = std::get_if<Variable>(&element.element())) return EndpointOf(v->value());
  const Operation op(&source, id);
  if (op.num_outputs() == 1) return Endpoint{id, 0};
  return InvalidArgument("clone: ", argument, ": operation '", op.name(), "' has ",
                         op.num_outputs(), " outputs; name one of them as '", op.name(), ":0'");
}

}  // namespace ramet
