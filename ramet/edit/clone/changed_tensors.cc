#include "ramet/edit/clone/changed_tensors.h"

#include "ramet/graph/constant_evaluator.h"
#include "ramet/graph/resource_handles.h"

namespace ramet {
namespace {

// Reports whether shape functions may depend on the tensor's value, and it is known, at least in
// part.
bool HasKnownValue(const GraphData& graph, Endpoint e) {
  const OutputRecord& output = graph.output(e);
  if (!MayHoldShape(output)) return false;
  ConstantEvaluator constants(graph);
  if (HandleOf(constants, e).first != DType::kInvalid) return true;
  if (!constants.ValueOf(e).empty()) return true;
  if (output.shape.rank() != 1) return false;
  auto shape = constants.AsShape(e);
  if (!shape.ok() || shape->unknown_rank()) return false;
  for (int d = 0; d < shape->rank(); ++d) {
    if (shape->dim(d) >= 0) return true;
  }
  return false;
}

}  // namespace

std::vector<ChangedTensor> FindChangedTensors(const CloneSelection& selection,
                                              const CopiedEdges& edges,
                                              const CloneMapping& mapping) {
  const GraphData& source = GraphDataOf(*mapping.source);
  const GraphData& target = GraphDataOf(*mapping.target);
  std::vector<ChangedTensor> changed;
  const auto add = [&](Endpoint tensor, Endpoint by) {
    const Shape &before = source.output(tensor).shape, &after = target.output(by).shape;
    const bool knew_value = HasKnownValue(source, tensor);
    if (before == after && !knew_value && !HasKnownValue(target, by)) return;
    const auto merged = before.MergeWith(after);
    changed.push_back({by, !knew_value && merged.ok() && *merged == after});
  };
  for (Endpoint cut : selection.boundary().cuts()) add(cut, edges.Mapped(cut));
  for (const auto& [tensor, by] : selection.boundary().replacements()) {
    add(tensor, edges.Mapped(tensor));
  }
  // An Enter passes on only the shapes of constants. The Identity that replaces it passes on all.
  for (NodeId id : selection.open_enters()) {
    if (edges.Copy(id) >= 0) add({id, 0}, {edges.Copy(id), 0});
  }
  return changed;
}

}  // namespace ramet
