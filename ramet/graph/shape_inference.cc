#include "ramet/graph/shape_inference.h"

#include "ramet/base/exception.h"
#include "ramet/graph/call_shapes.h"
#include "ramet/graph/resource_handles.h"

namespace ramet {
namespace {

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

}  // namespace

StatusOr<std::vector<Shape>> InferShapes(const GraphImpl& impl, const Op& op, const AttrMap& attrs,
                                         const std::vector<Endpoint>& inputs, int num_outputs) {
  ConstantEvaluator constants(impl);
  return InferShapes(impl, constants, op, attrs, inputs, num_outputs);
}

StatusOr<std::vector<Shape>> InferShapes(const GraphImpl& impl, ConstantEvaluator& constants,
                                         const Op& op, const AttrMap& attrs,
                                         const std::vector<Endpoint>& inputs, int num_outputs) {
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

}  // namespace ramet
