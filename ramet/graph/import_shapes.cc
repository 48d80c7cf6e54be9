#include "ramet/graph/import_proto.h"
#include "ramet/graph/node_build.h"
#include "ramet/tensor/tensor_proto.h"

namespace ramet {
namespace {

// Before this version a Placeholder of shape [] had any shape.
constexpr int kScalarPlaceholderVersion = 22;

// Whether the message describes just `shape`.
bool IsShape(const TensorShapeProto& proto, const Shape& shape) {
  if (proto.unknown_rank() || shape.unknown_rank()) {
    return proto.unknown_rank() && shape.unknown_rank() && proto.dim().empty();
  }
  if (proto.dim_size() != shape.rank()) return false;
  for (int d = 0; d < proto.dim_size(); ++d) {
    if (proto.dim(d).size() != shape.dim(d)) return false;
  }
  return true;
}

}  // namespace

Status GraphImport::InferNodeShapes(int32_t i) {
  NodeRecord& node = record(i);
  if (node.op->shape_fn() != nullptr) {
    auto span = impl_.inputs(base_ + i);
    std::vector<Endpoint> inputs(span.begin(), span.end());
    auto shapes = InferShapes(impl_, *node.op, *node.attrs, inputs, node.num_outputs);
    if (!shapes.ok()) {
      return shapes.status().WithContext(StrCat("node '", node.name, "' (", node.op->name(), ")"));
    }
    for (int k = 0; k < node.num_outputs; ++k) {
      impl_.outputs[node.first_output + k].shape = std::move((*shapes)[k]);
    }
  }
  if (node.op->name() == "Placeholder" && node.num_outputs == 1 &&
      def_.versions().producer() < kScalarPlaceholderVersion &&
      impl_.outputs[node.first_output].shape.rank() == 0) {
    impl_.outputs[node.first_output].shape = Shape::Unknown();
  }
  return RefineShapes(i);
}

Status GraphImport::RefineShapes(int32_t i) {
  const AttrValue* attr = node_attrs_[i].output_shapes;
  if (attr == nullptr) return OkStatus();
  const auto& shapes = attr->list().shape();
  if (shapes.size() != record(i).num_outputs) return OkStatus();
  for (int k = 0; k < shapes.size(); ++k) {
    OutputRecord& output = impl_.outputs[record(i).first_output + k];
    if (IsShape(shapes[k], output.shape)) continue;
    auto stated = ShapeFromProto(shapes[k]);
    auto merged = stated.ok() ? output.shape.MergeWith(*stated) : stated;
    if (merged.ok()) {
      output.shape = *std::move(merged);
    } else if (options_.validate_shapes) {
      return InvalidArgument("Node '", node_def(i).name(),
                             "' has an _output_shapes attribute inconsistent with "
                             "the GraphDef for output #",
                             k, ": ", merged.status().message());
    }
  }
  return OkStatus();
}

}  // namespace ramet
