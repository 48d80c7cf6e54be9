#include "ramet/graph/import_proto.h"
#include "ramet/graph/node_build.h"
#include "ramet/tensor/tensor_proto.h"

namespace ramet {
namespace {

// Before this version, a Placeholder of shape [] accepted any shape.
constexpr int kScalarPlaceholderVersion = 22;

}  // namespace

Status GraphImport::InferNodeShapes(int32_t i) {
  NodeRecord& node = record(i);
  if (node.op->shape_fn() != nullptr || !IsInferred(*node.op)) {
    auto span = impl_.inputs(base_ + i);
    std::vector<Endpoint> inputs(span.begin(), span.end());
    auto shapes = InferShapes(constants_, *node.op, *node.attrs, inputs, node.num_outputs);
    if (!shapes.ok()) {
      return shapes.status().WithContext(StrCat("node '", node.name, "' (", node.op->name(), ")"));
    }
    for (int k = 0; k < node.num_outputs; ++k) {
      impl_.outputs[node.first_output + k].shape = std::move((*shapes)[k]);
    }
  }
  if (node.op->name() == "Placeholder" && node.num_outputs == 1 &&
      def_.rest().versions().producer() < kScalarPlaceholderVersion &&
      impl_.outputs[node.first_output].shape.rank() == 0) {
    impl_.outputs[node.first_output].shape = Shape::Unknown();
  }
  return RefineShapes(i);
}

Status GraphImport::RefineShapes(int32_t i) {
  const StatedShapes* shapes = node_attrs_[i].output_shapes;
  const int n = record(i).num_outputs;
  if (shapes == nullptr || std::ssize(*shapes) != n) return OkStatus();
  for (int k = 0; k < n; ++k) {
    OutputRecord& output = impl_.outputs[record(i).first_output + k];
    const StatusOr<Shape>& stated = (*shapes)[k];
    if (stated.ok() && *stated == output.shape) continue;
    auto merged = stated.ok() ? output.shape.MergeWith(*stated) : stated;
    if (merged.ok()) {
      output.shape = *std::move(merged);
    } else if (options_.validate_shapes) {
      return InvalidArgument("Node '", node_def(i).name,
                             "' has an _output_shapes attribute inconsistent with "
                             "the GraphDef for output #",
                             k, ": ", merged.status().message());
    }
  }
  return OkStatus();
}

}  // namespace ramet
