#include "ramet/graph_def/name_resolver.h"

#include "ramet/graph/names.h"
#include "ramet/wire/tensor_ref.h"

namespace ramet {

StatusOr<Output> NameResolver::FindTensor(std::string_view name) const {
  const TensorRef ref = TensorRef::Parse(name);
  const NodeId id = ref.is_control() ? -1 : find_(ref.node);
  if (id < 0) {
    return NotFound("The name '", name,
                    "' refers to a Tensor which does not exist. The operation, '", ref.node,
                    "', does not exist in the graph.");
  }
  const int outputs = impl_.nodes[id].num_outputs;
  if (ref.index >= outputs) {
    return NotFound("The name '", name,
                    "' refers to a Tensor which does not exist. The operation, '", ref.node,
                    "', exists but only has ", outputs, " outputs.");
  }
  return Output(Operation(graph_, id), ref.index);
}

StatusOr<Operation> NameResolver::FindOperation(std::string_view name) const {
  const NodeId id = find_(name);
  if (id >= 0) return Operation(graph_, id);
  return NotFound("The name '", name, "' refers to an Operation not in the graph.");
}

std::string NameResolver::Rename(std::string_view name) const {
  const TensorRef ref = TensorRef::Parse(name);
  if (ref.node.empty()) return std::string(name);
  const NodeId id = find_(ref.node);
  const std::string full =
      id >= 0 ? std::string(impl_.nodes[id].name) : JoinScope(prefix_, ref.node);
  if (ref.is_control()) return StrCat("^", full);
  return StrCat(full, name.substr(ref.node.size()));
}

std::string TensorName(const GraphImpl& impl, const Output& output) {
  return output.valid() ? StrCat(impl.nodes[output.op().id()].name, ":", output.index()) : "";
}

std::string OperationName(const GraphImpl& impl, const Operation& op) {
  return op.valid() ? std::string(impl.nodes[op.id()].name) : "";
}

}  // namespace ramet
