#include <algorithm>
#include <array>

#include "ramet/graph/add_op.h"
#include "ramet/graph/call_shapes.h"
#include "ramet/graph/node_build.h"
#include "ramet/op/control_flow.h"

namespace ramet {
namespace {

constexpr int kMaxDepth = 16;
constexpr int64_t kMaxElements = 4096;

Tensor IntTensor(const AttrMap& attrs, const std::vector<int64_t>& values, bool scalar) {
  const DType type = attrs.GetOr<DType>("out_type", kInt32);
  Shape shape = scalar ? Shape() : Shape{static_cast<int64_t>(values.size())};
  Tensor t(type == kInt64 ? kInt64 : kInt32, shape);
  for (size_t i = 0; i < values.size(); ++i) {
    if (type == kInt64) {
      t.mutable_data<int64_t>()[i] = values[i];
    } else {
      t.mutable_data<int32_t>()[i] = static_cast<int32_t>(values[i]);
    }
  }
  return t;
}

// Shape, Size and Rank know their value from the input's shape alone.
Tensor FromShapeOfInput(const GraphImpl& impl, const NodeRecord& node, NodeId id) {
  const std::string& type = node.op->name();
  const Shape& in = impl.output(impl.inputs(id)[0]).shape;
  if (type == "Rank" && !in.unknown_rank()) return IntTensor(*node.attrs, {in.rank()}, true);
  if (!in.IsFullyDefined()) return Tensor();
  if (type == "Shape") {
    return IntTensor(*node.attrs, std::vector<int64_t>(in.dims().begin(), in.dims().end()), false);
  }
  return type == "Size" ? IntTensor(*node.attrs, {in.num_elements()}, true) : Tensor();
}

Tensor RunKernel(const GraphImpl& impl, const NodeRecord& node, int32_t output,
                 const std::vector<Tensor>& inputs) {
  auto registration = node.op->FindKernel("CPU", *node.attrs, node.name);
  if (!registration.ok()) return Tensor();
  KernelNode kernel_node{std::string(node.name), node.op->name(), node.attrs.get(), {}, {}};
  for (const Tensor& t : inputs) kernel_node.input_types.push_back(t.dtype());
  for (int i = 0; i < node.num_outputs; ++i) {
    kernel_node.output_types.push_back(impl.outputs[node.first_output + i].dtype);
  }
  auto kernel = (*registration)->Make(kernel_node);
  if (!kernel.ok()) return Tensor();
  std::vector<const Tensor*> pointers;
  for (const Tensor& t : inputs) pointers.push_back(&t);
  std::vector<VariableState*> refs(inputs.size(), nullptr);
  std::vector<Value> outputs(node.num_outputs);
  KernelEnv env{HostAllocator(), HostAllocator(), nullptr, nullptr};
  RunState run;
  KernelContext context(env, pointers, refs, outputs, 0, run);
  if (!(*kernel)->Compute(context).ok()) return Tensor();
  return outputs[output].tensor;
}

class GraphShapeContext final : public ShapeContext {
 public:
  GraphShapeContext(const GraphImpl& impl, const AttrMap& attrs, std::vector<Shape> shapes,
                    const std::vector<Endpoint>& inputs, int num_outputs)
      : ShapeContext(attrs, std::move(shapes), num_outputs),
        impl_(impl),
        inputs_(inputs),
        constants_(inputs.size()),
        evaluated_(inputs.size()) {}

  const Tensor* constant(int i) override {
    if (!evaluated_[i]) {
      evaluated_[i] = true;
      constants_[i] = EvaluateConstant(impl_, inputs_[i]);
    }
    return constants_[i].empty() ? nullptr : &constants_[i];
  }

  StatusOr<Shape> constant_as_shape(int i) override {
    const Shape& vector = input(i);
    if (vector.rank() > 1) {
      return InvalidArgument("a shape must be given as a vector, but input ", i, " has shape ",
                             vector);
    }
    return PartialShape(inputs_[i], 0);
  }

  std::pair<DType, Shape> handle(int i) override { return HandleOf(impl_, inputs_[i]); }

 private:
  StatusOr<Shape> PartialShape(Endpoint e, int depth) {
    if (Tensor value = EvaluateConstant(impl_, e); !value.empty()) {
      RAMET_ASSIGN_OR_RETURN(auto dims, IntegerValues(value));
      if (value.rank() == 0 && dims[0] == -1) return Shape::Unknown();
      return Shape::Make(dims);
    }
    const NodeRecord& node = impl_.nodes[e.node];
    const std::string& type = node.op->name();
    auto inputs = impl_.inputs(e.node);
    if (depth < kMaxDepth) {
      if (type == "Shape") return impl_.output(inputs[0]).shape;
      if (type == "Identity" || type == "Cast") return PartialShape(inputs[0], depth + 1);
      if (type == "Pack") return PackedShape(inputs);
      if (type == "ConcatV2") {
        Shape all;
        for (Endpoint in : inputs.first(inputs.size() - 1)) {
          RAMET_ASSIGN_OR_RETURN(Shape piece, PartialShape(in, depth + 1));
          all = all.Concatenate(piece);
        }
        return all;
      }
    }
    const Shape& vector = impl_.output(e).shape;
    if (vector.rank() != 1 || vector.dim(0) < 0 || vector.dim(0) > Shape::kMaxRank) {
      return Shape::Unknown();
    }
    return Shape::OfRank(static_cast<int>(vector.dim(0)));
  }

  StatusOr<Shape> PackedShape(std::span<const Endpoint> inputs) {
    if (inputs.size() > Shape::kMaxRank) return Shape::Unknown();
    std::vector<int64_t> dims;
    for (Endpoint in : inputs) {
      Tensor value = EvaluateConstant(impl_, in);
      int64_t dim = Shape::kUnknownDim;
      if (!value.empty() && value.num_elements() == 1) {
        RAMET_ASSIGN_OR_RETURN(auto values, IntegerValues(value));
        dim = values[0];
      }
      dims.push_back(dim);
    }
    return Shape::Make(dims);
  }

  const GraphImpl& impl_;
  const std::vector<Endpoint>& inputs_;
  std::vector<Tensor> constants_;
  std::vector<bool> evaluated_;
};

// Ops whose output 0 is the handle of input 0, or a list of elements of the same shape.
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

// Which input of an op that makes a list is the shape of its elements; -1 for other ops.
int ElementShapeInput(std::string_view type) {
  if (type == "EmptyTensorList" || type == "TensorListReserve") return 0;
  if (type == "TensorListFromTensor" || type == "TensorListSplit") return 1;
  return type == "TensorListScatter" || type == "TensorListScatterV2" ? 2 : -1;
}

// The partial shape that a vector describes; unknown if `value` is none.
Shape PartialShape(const Tensor& value) {
  if (value.rank() != 1 || value.empty()) return Shape::Unknown();
  auto dims = IntegerValues(value);
  auto shape = dims.ok() ? Shape::Make(*dims) : StatusOr<Shape>(dims.status());
  return shape.ok() ? *std::move(shape) : Shape::Unknown();
}

// What is known of the elements of a TensorArray: nothing where their shapes may differ.
std::pair<DType, Shape> ElementsOf(const AttrMap& attrs) {
  const Shape shape = attrs.GetOr<Shape>("element_shape", Shape::Unknown());
  if (!shape.IsFullyDefined() && !attrs.GetOr<bool>("identical_element_shapes", false)) {
    return {DType::kInvalid, Shape::Unknown()};
  }
  return {attrs.GetOr<DType>("dtype", DType::kInvalid), shape};
}

}  // namespace

std::pair<DType, Shape> HandleOf(const GraphImpl& impl, Endpoint e) {
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    const NodeRecord& node = impl.nodes[e.node];
    const std::string& type = node.op->name();
    if (type == "VarHandleOp") {
      return {node.attrs->GetOr<DType>("dtype", DType::kInvalid),
              node.attrs->GetOr<Shape>("shape", Shape::Unknown())};
    }
    if (type == "TensorArrayV3") return ElementsOf(*node.attrs);
    if (const int i = ElementShapeInput(type); i >= 0 && i < node.num_inputs) {
      return {node.attrs->GetOr<DType>("element_dtype", DType::kInvalid),
              PartialShape(EvaluateConstant(impl, impl.inputs(e.node)[i]))};
    }
    if (!PassesHandle(type) || node.num_inputs == 0) break;
    e = impl.inputs(e.node)[0];
  }
  return {DType::kInvalid, Shape::Unknown()};
}

Tensor EvaluateConstant(const GraphImpl& impl, Endpoint e, int depth) {
  const NodeRecord& node = impl.nodes[e.node];
  if (node.op->name() == "Const") {
    const Attr* value = node.attrs->Find("value");
    const Tensor* tensor = value ? value->get<Tensor>() : nullptr;
    return tensor ? *tensor : Tensor();
  }
  if (depth >= kMaxDepth || node.num_inputs == 0 || node.op->name() == "PlaceholderWithDefault" ||
      !node.op->registered() || node.op->schema().is_stateful || node.op->calls_program() ||
      ControlFlowOf(*node.op) != ControlFlow::kNone) {
    return Tensor();
  }
  if (Tensor t = FromShapeOfInput(impl, node, e.node); !t.empty()) return t;
  const Shape& shape = impl.output(e).shape;
  if (!shape.IsFullyDefined() || shape.num_elements() > kMaxElements) return Tensor();
  std::vector<Tensor> inputs;
  for (Endpoint in : impl.inputs(e.node)) {
    const Shape& in_shape = impl.output(in).shape;
    if (in_shape.num_elements() > kMaxElements) return Tensor();
    inputs.push_back(EvaluateConstant(impl, in, depth + 1));
    if (inputs.back().empty()) return Tensor();
  }
  return RunKernel(impl, node, e.index, inputs);
}

StatusOr<std::vector<Shape>> InferShapes(const GraphImpl& impl, const Op& op, const AttrMap& attrs,
                                         const std::vector<Endpoint>& inputs, int num_outputs) {
  std::vector<Shape> shapes;
  for (Endpoint e : inputs) shapes.push_back(impl.output(e).shape);
  if (auto called = CallShapes(impl, op, attrs, shapes);
      called && std::ssize(*called) == num_outputs) {
    return *std::move(called);
  }
  if (op.shape_fn() == nullptr) return std::vector<Shape>(num_outputs, Shape::Unknown());
  GraphShapeContext context(impl, attrs, std::move(shapes), inputs, num_outputs);
  RAMET_RETURN_IF_ERROR(op.shape_fn()(context));
  std::vector<Shape> result;
  for (int i = 0; i < num_outputs; ++i) result.push_back(context.output(i));
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
  return EvaluateConstant(impl, {output.op().id(), output.index()});
}

}  // namespace ramet
