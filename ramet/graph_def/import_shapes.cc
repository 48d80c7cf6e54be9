#include "ramet/graph_def/import_shapes.h"

#include "ramet/base/run_interrupt.h"
#include "ramet/graph/shape_inference.h"

namespace ramet {
namespace {

// How many nodes are inferred between two looks for an interrupt. They take less than a
// millisecond.
constexpr int32_t kNodesPerCheck = 256;

// Before this version, a Placeholder of shape [] accepted any shape.
constexpr int kScalarPlaceholderVersion = 22;
constexpr int64_t kFoldingWork = int64_t{1} << 24;

Status InferNodeShapes(ImportNodes& nodes, int32_t i, ConstantEvaluator& constants) {
  GraphImpl& impl = nodes.impl();
  const NodeRecord& node = nodes.record(i);
  if (node.op->shape_fn() != nullptr || !IsInferred(*node.op)) {
    auto span = impl.inputs(nodes.id(i));
    std::vector<Endpoint> inputs(span.begin(), span.end());
    auto shapes = InferShapes(impl, constants, *node.op, *node.attrs, inputs, node.num_outputs);
    if (!shapes.ok()) {
      return shapes.status().WithContext(StrCat("node '", node.name, "' (", node.op->name(), ")"));
    }
    for (int k = 0; k < node.num_outputs; ++k) {
      impl.outputs[node.first_output + k].shape = std::move((*shapes)[k]);
    }
  }
  if (node.op->name() == "Placeholder" && node.num_outputs == 1 &&
      nodes.file().rest().versions().producer() < kScalarPlaceholderVersion &&
      impl.outputs[node.first_output].shape.rank() == 0) {
    impl.outputs[node.first_output].shape = Shape::Unknown();
  }
  return OkStatus();
}

// Merges the shapes that the file states into the inferred ones.
Status RefineShapes(ImportNodes& nodes, int32_t i, bool validate) {
  const StatedShapes* shapes = nodes.attrs(i).output_shapes;
  const int n = nodes.record(i).num_outputs;
  if (shapes == nullptr || std::ssize(*shapes) != n) return OkStatus();
  for (int k = 0; k < n; ++k) {
    OutputRecord& output = nodes.impl().outputs[nodes.record(i).first_output + k];
    const StatusOr<Shape>& stated = (*shapes)[k];
    if (stated.ok() && *stated == output.shape) continue;
    auto merged = stated.ok() ? output.shape.MergeWith(*stated) : stated;
    if (merged.ok()) {
      output.shape = *std::move(merged);
    } else if (validate) {
      return InvalidArgument("Node '", nodes.def(i).name,
                             "' has an _output_shapes attribute inconsistent with "
                             "the GraphDef for output #",
                             k, ": ", merged.status().message());
    }
  }
  return OkStatus();
}

}  // namespace

Status InferImportedShapes(ImportNodes& nodes, bool validate) {
  ConstantEvaluator constants(nodes.impl(),
                              kFoldingWork + ConstantEvaluator::kWorkPerNode * nodes.size());
  for (int32_t i = 0; i < nodes.size(); ++i) {
    if (i % kNodesPerCheck == 0 && StopDue()) return InterruptedStatus();
    RAMET_RETURN_IF_ERROR(InferNodeShapes(nodes, i, constants));
    RAMET_RETURN_IF_ERROR(RefineShapes(nodes, i, validate));
  }
  return OkStatus();
}

}  // namespace ramet
