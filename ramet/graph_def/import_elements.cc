#include "ramet/graph_def/import_elements.h"

namespace ramet {
namespace {

using Element = std::variant<Output, Operation>;

StatusOr<Element> ReturnElement(Graph& graph, const ImportNodes& nodes, const std::string& element,
                                InputRemap* remap) {
  const TensorRef ref = TensorRef::Parse(element);
  const bool tensor = ref.node.size() != element.size();
  if (const Endpoint* e = tensor ? remap->Find(ref) : nullptr) {
    return Element(Output(Operation(&graph, e->node), e->index));
  }
  const int32_t i = nodes.FindInFile(ref.node);
  if (i < 0) {
    return InvalidArgument("Requested return ", tensor ? "tensor" : "node", " '", element,
                           "' not found in graph def");
  }
  const Operation op(&graph, nodes.id(i));
  if (!tensor) return Element(op);
  const int outputs = nodes.record(i).num_outputs;
  if (ref.index < 0 || ref.index >= outputs) {
    return InvalidArgument("Invalid return output ", ref.index, " of node '", ref.node,
                           "', which has ", outputs, " output(s)");
  }
  return Element(Output(op, ref.index));
}

}  // namespace

Status CheckRemapKeys(const ImportNodes& nodes, const InputRemap& remap) {
  std::vector<std::string> missing;
  for (const InputRemap::Entry& entry : remap.entries()) {
    const TensorRef ref = TensorRef::Parse(entry.key);
    const int32_t i = nodes.FindInFile(ref.node);
    const bool exists = i >= 0 && ref.index < nodes.record(i).num_outputs;
    if (!entry.used && !exists) missing.push_back(entry.key);
  }
  if (missing.empty()) return OkStatus();
  return InvalidArgument("Attempted to map inputs that were not found in graph_def: [",
                         StrJoin(missing, ", "), "]");
}

StatusOr<std::vector<Element>> ReturnElements(Graph& graph, const ImportNodes& nodes,
                                              const std::vector<std::string>& elements,
                                              InputRemap* remap) {
  std::vector<Element> found;
  for (const std::string& element : elements) {
    RAMET_ASSIGN_OR_RETURN(found.emplace_back(), ReturnElement(graph, nodes, element, remap));
  }
  return found;
}

}  // namespace ramet
