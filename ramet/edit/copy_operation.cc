#include "ramet/edit/copy_operation.h"

#include <utility>

#include "ramet/graph/edit_graph.h"
#include "ramet/graph/names.h"

namespace ramet {
namespace {

bool IsLoopMerge(const Operation& op) {
  const std::string type = op.type();
  if (type != "Merge" && type != "RefMerge") return false;
  for (const Output& input : op.inputs()) {
    const std::string producer = input.op().type();
    if (producer == "NextIteration" || producer == "RefNextIteration") return true;
  }
  return false;
}

// Returns the output shape of a loop's Merge: the first value's dimensions as far as they are the
// same in all iterations.
Shape LoopShape(const Shape& known, const Shape& source) {
  if (known.unknown_rank() || source.unknown_rank() || known.rank() != source.rank()) {
    return Shape::Unknown();
  }
  std::vector<int64_t> dims(known.dims().begin(), known.dims().end());
  for (int i = 0; i < source.rank(); ++i) {
    if (source.dims()[i] < 0) dims[i] = Shape::kUnknownDim;
  }
  return Shape(dims);
}

}  // namespace

StatusOr<Operation> CopyOperation(const Operation& source, Graph& graph, OperationCopy copy) {
  const std::string name = copy.name.empty() ? source.name() : std::move(copy.name);
  const bool is_loop_merge = IsLoopMerge(source);
  RAMET_ASSIGN_OR_RETURN(
      const Operation made,
      graph.AddNode({.op = source.type(),
                     .name = UniqueFullName(graph.build_state(), name, true),
                     .inputs = std::move(copy.inputs),
                     .control_inputs = std::move(copy.control_inputs),
                     .device = copy.device ? *std::move(copy.device) : source.device(),
                     .attrs = *source.attrs()}));
  if (is_loop_merge) {
    const Shape shape = LoopShape(made.output(0).shape(), source.output(0).shape());
    WriterLock lock(GraphDataOf(graph).mutex);
    MutableGraphDataOf(graph).output({made.id(), 0}).shape = shape;
  }
  return made;
}

}  // namespace ramet
