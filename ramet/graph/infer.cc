#include <algorithm>

#include "ramet/base/exception.h"
#include "ramet/graph/add_op.h"
#include "ramet/graph/call_shapes.h"
#include "ramet/graph/constant_evaluator.h"
#include "ramet/graph/node_build.h"

namespace ramet {
namespace {

constexpr int kMaxHandleDepth = 16;

class GraphShapeContext final : public ShapeContext {
 public:
  GraphShapeContext(ConstantEvaluator& constants, const AttrMap& attrs, std::vector<Shape> shapes,
                    const std::vector<Endpoint>& inputs, int num_outputs)
      : ShapeContext(attrs, std::move(shapes), num_outputs),
        evaluator_(constants),
        inputs_(inputs),
        constants_(inputs.size()),
        evaluated_(inputs.size()) {}

  const Tensor* constant(int i) override {
    if (!evaluated_[i]) {
      evaluated_[i] = true;
      constants_[i] = evaluator_.ValueOf(inputs_[i]);
    }
    return constants_[i].empty() ? nullptr : &constants_[i];
  }

  StatusOr<Shape> constant_as_shape(int i) override {
    const Shape& vector = input(i);
    if (vector.rank() > 1) {
      return InvalidArgument("a shape must be given as a vector, but input ", i, " has shape ",
                             vector);
    }
    return evaluator_.AsShape(inputs_[i]);
  }

  std::pair<DType, Shape> handle(int i) override { return HandleOf(evaluator_, inputs_[i]); }

 private:
  ConstantEvaluator& evaluator_;
  const std::vector<Endpoint>& inputs_;
  std::vector<Tensor> constants_;
  std::vector<bool> evaluated_;
};

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
  const GraphImpl& impl = constants.impl();
  for (int depth = 0; depth < kMaxHandleDepth; ++depth) {
    const NodeRecord& node = impl.nodes[e.node];
    const std::string& type = node.op->name();
    if (type == "VarHandleOp") {
      return {node.attrs->GetOr<DType>("dtype", DType::kInvalid),
              node.attrs->GetOr<Shape>("shape", Shape::Unknown())};
    }
    if (type == "TensorArrayV3") return ElementsOf(*node.attrs);
    if (const int i = ElementShapeInput(type); i >= 0 && i < node.num_inputs) {
      return {node.attrs->GetOr<DType>("element_dtype", DType::kInvalid),
              PartialShape(constants.ValueOf(impl.inputs(e.node)[i]))};
    }
    if (!PassesHandle(type) || node.num_inputs == 0) break;
    e = impl.inputs(e.node)[0];
  }
  return {DType::kInvalid, Shape::Unknown()};
}

std::pair<DType, Shape> HandleOf(const GraphImpl& impl, Endpoint e) {
  ConstantEvaluator constants(impl);
  return HandleOf(constants, e);
}

StatusOr<std::vector<Shape>> InferShapes(const GraphImpl& impl, const Op& op, const AttrMap& attrs,
                                         const std::vector<Endpoint>& inputs, int num_outputs) {
  ConstantEvaluator constants(impl);
  return InferShapes(constants, op, attrs, inputs, num_outputs);
}

StatusOr<std::vector<Shape>> InferShapes(ConstantEvaluator& constants, const Op& op,
                                         const AttrMap& attrs, const std::vector<Endpoint>& inputs,
                                         int num_outputs) {
  const GraphImpl& impl = constants.impl();
  std::vector<Shape> shapes;
  for (Endpoint e : inputs) shapes.push_back(impl.output(e).shape);
  if (auto called = CallShapes(impl, op, attrs, shapes);
      called && std::ssize(*called) == num_outputs) {
    return *std::move(called);
  }
  if (op.shape_fn() == nullptr) return std::vector<Shape>(num_outputs, Shape::Unknown());
  GraphShapeContext context(constants, attrs, std::move(shapes), inputs, num_outputs);
  RAMET_RETURN_IF_ERROR(Guarded([&] { return op.shape_fn()(context); }));
  std::vector<Shape> result;
  for (int i = 0; i < num_outputs; ++i) {
    RAMET_RETURN_IF_ERROR(context.output(i).Validate());
    result.push_back(context.output(i));
  }
  return result;
}

Shape HandleShape(const Output& handle) {
  if (!handle.valid()) return Shape::Unknown();
  const GraphImpl& impl = handle.graph()->impl();
  std::shared_lock lock(impl.mutex);
  return HandleOf(impl, {handle.op().id(), handle.index()}).second;
}

Tensor ConstantValue(const Output& output) {
  if (!output.valid()) return Tensor();
  const GraphImpl& impl = output.graph()->impl();
  std::shared_lock lock(impl.mutex);
  return ConstantEvaluator(impl).ValueOf({output.op().id(), output.index()});
}

}  // namespace ramet
