#include "ramet/graph/resource_handles.h"

#include <algorithm>

namespace ramet {
namespace {

constexpr int kMaxHandleDepth = 16;

// Reports whether output 0 of an op is the handle of input 0, or a list of elements of the same
// shape.
bool PassesHandle(std::string_view type) {
  constexpr std::string_view kTypes[] = {"Identity",
                                         "Enter",
                                         "Switch",
                                         "TensorArrayGradV3",
                                         "ZerosLike",
                                         "AddN",
                                         "TensorListPushBack",
                                         "TensorListPopBack",
                                         "TensorListSetItem",
                                         "TensorListResize",
                                         "TensorListScatterIntoExistingList"};
  return std::ranges::find(kTypes, type) != std::end(kTypes);
}

// Returns which input of an op that makes a list is the shape of its elements; -1 for other ops.
int ElementShapeInput(std::string_view type) {
  if (type == "EmptyTensorList" || type == "TensorListReserve") return 0;
  if (type == "TensorListFromTensor" || type == "TensorListSplit") return 1;
  return type == "TensorListScatter" || type == "TensorListScatterV2" ? 2 : -1;
}

// Returns the dtype and shape of the values of a table; the shape is unknown unless keys are
// scalars.
std::pair<DType, Shape> ValuesOf(const GraphData& graph, NodeId id, const NodeRecord& node) {
  Shape shape = node.attrs->GetOr<Shape>("value_shape", Shape());
  if (node.num_inputs > 0 && graph.output(graph.inputs(id)[0]).shape.rank() != 0) {
    shape = Shape::Unknown();
  }
  return {node.attrs->GetOr<DType>("value_dtype", DType::kInvalid), std::move(shape)};
}

// Returns the partial shape that a vector describes; unknown if `value` is not a vector.
Shape PartialShape(const Tensor& value) {
  if (value.rank() != 1 || value.empty()) return Shape::Unknown();
  auto dims = IntegerValues(value);
  auto shape = dims.ok() ? Shape::Make(*dims) : StatusOr<Shape>(dims.status());
  return shape.ok() ? *std::move(shape) : Shape::Unknown();
}

// Returns the dtype and shape of the elements of a TensorArray; the shape is unknown if elements
// may differ.
std::pair<DType, Shape> ElementsOf(const AttrMap& attrs) {
  const Shape shape = attrs.GetOr<Shape>("element_shape", Shape::Unknown());
  if (!shape.IsFullyDefined() && !attrs.GetOr<bool>("identical_element_shapes", false)) {
    return {DType::kInvalid, Shape::Unknown()};
  }
  return {attrs.GetOr<DType>("dtype", DType::kInvalid), shape};
}

}  // namespace

std::pair<DType, Shape> HandleOf(ConstantEvaluator& constants, Endpoint e) {
  const GraphData& graph = constants.graph();
  for (int depth = 0; depth < kMaxHandleDepth; ++depth) {
    const NodeRecord& node = graph.nodes[e.node];
    const std::string& type = node.op->name();
    if (type == "VarHandleOp") {
      return {node.attrs->GetOr<DType>("dtype", DType::kInvalid),
              node.attrs->GetOr<Shape>("shape", Shape::Unknown())};
    }
    if (type.ends_with("HashTableV2")) return ValuesOf(graph, e.node, node);
    if (type == "TensorArrayV3") return ElementsOf(*node.attrs);
    if (const int i = ElementShapeInput(type); i >= 0 && i < node.num_inputs) {
      return {node.attrs->GetOr<DType>("element_dtype", DType::kInvalid),
              PartialShape(constants.ValueOf(graph.inputs(e.node)[i]))};
    }
    if (!PassesHandle(type) || node.num_inputs == 0) break;
    e = graph.inputs(e.node)[0];
  }
  return {DType::kInvalid, Shape::Unknown()};
}

std::pair<DType, Shape> HandleOf(const GraphData& graph, Endpoint e) {
  ConstantEvaluator constants(graph);
  return HandleOf(constants, e);
}

}  // namespace ramet
