#include "ramet/graph/constant_evaluator.h"

#include <algorithm>

#include "ramet/base/exception.h"
#include "ramet/graph/fold_node.h"

namespace ramet {
namespace {

constexpr int64_t kMaxElements = 4096;
constexpr int64_t kWorkPerKernel = 64;
constexpr int64_t kWorkPerVisit = 8;
// The size of kMaxElements elements of 16 bytes, with room for a kernel's scratch tensors. Larger
// than any folded value needs.
constexpr size_t kMaxFoldedBytes = 4 * kMaxElements * 16;

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

// Evaluates Shape, Size and Rank from the static shape of the input.
Tensor FromShapeOfInput(const GraphData& graph, const NodeRecord& node, NodeId id) {
  const std::string& type = node.op->name();
  const Shape& in = graph.output(graph.inputs(id)[0]).shape;
  if (type == "Rank" && !in.unknown_rank()) return IntTensor(*node.attrs, {in.rank()}, true);
  if (!in.IsFullyDefined()) return Tensor();
  if (type == "Shape") {
    return IntTensor(*node.attrs, std::vector<int64_t>(in.dims().begin(), in.dims().end()), false);
  }
  return type == "Size" ? IntTensor(*node.attrs, {in.num_elements()}, true) : Tensor();
}

bool IsSmall(const Shape& shape) {
  return shape.IsFullyDefined() && LoopsOver(shape) <= kMaxElements;
}

}  // namespace

bool ConstantEvaluator::Spend(int64_t work) {
  if (work_left_ < work) return false;
  work_left_ -= work;
  return true;
}

Tensor ConstantEvaluator::Evaluate(Endpoint e, int depth) {
  const NodeRecord& node = graph_.nodes[e.node];
  if (node.op->name() == "Const") {
    const Attr* value = node.attrs->Find("value");
    const Tensor* tensor = value ? value->get<Tensor>() : nullptr;
    return tensor ? *tensor : Tensor();
  }
  if (depth == 0 || !MayBeFolded(graph_, node) || !Spend(kWorkPerVisit)) return Tensor();
  const auto known = values_.find(EndpointKey(e));
  if (known != values_.end() && (!known->second.value.empty() || known->second.depth >= depth)) {
    return known->second.value;
  }
  Tensor value = EvaluateNode(e, depth);
  values_[EndpointKey(e)] = {value, depth};
  return value;
}

Tensor ConstantEvaluator::EvaluateNode(Endpoint e, int depth) {
  if (Tensor t = FromShapeOfInput(graph_, graph_.nodes[e.node], e.node); !t.empty()) return t;
  return Fold(e, depth);
}

Tensor ConstantEvaluator::Fold(Endpoint e, int depth) {
  const NodeRecord& node = graph_.nodes[e.node];
  int64_t work = kWorkPerKernel;
  for (int i = 0; i < node.num_outputs; ++i) {
    const Shape& shape = graph_.outputs[node.first_output + i].shape;
    // The size of an output such as that of ListDiff depends on values; FoldingAllocator limits it.
    const bool is_known = shape.IsFullyDefined();
    if (is_known && !IsSmall(shape)) return Tensor();
    work += is_known ? shape.num_elements() : kMaxElements;
  }
  std::vector<Tensor> inputs;
  for (Endpoint in : graph_.inputs(e.node)) {
    if (LoopsOver(graph_.output(in).shape) > kMaxElements) return Tensor();
    inputs.push_back(Evaluate(in, depth - 1));
    const Tensor& value = inputs.back();
    if (value.empty() || !IsSmall(value.shape()) || DTypeSize(value.dtype()) == 0) return Tensor();
    work += value.num_elements();
  }
  return Spend(work) ? RunKernel(node, e.index, inputs) : Tensor();
}

Tensor ConstantEvaluator::RunKernel(const NodeRecord& node, int32_t output,
                                    const std::vector<Tensor>& inputs) {
  static auto* const allocator = new FoldingAllocator(kMaxFoldedBytes);
  auto registration = node.op->FindKernel("CPU", *node.attrs, node.name);
  if (!registration.ok()) return Tensor();
  KernelNode kernel_node{std::string(node.name), node.op->name(), node.attrs.get(), {}, {}};
  for (const Tensor& t : inputs) kernel_node.input_types.push_back(t.dtype());
  for (int i = 0; i < node.num_outputs; ++i) {
    kernel_node.output_types.push_back(graph_.outputs[node.first_output + i].dtype);
  }
  auto kernel = Guarded([&] { return (*registration)->Make(kernel_node); });
  if (!kernel.ok()) return Tensor();
  const auto outputs = ComputeFolded(**kernel, inputs, node.num_outputs, allocator);
  return outputs.empty() ? Tensor() : outputs[output];
}

StatusOr<Shape> ConstantEvaluator::PartialShape(Endpoint e, int depth) {
  if (Tensor value = ValueOf(e); !value.empty()) {
    RAMET_ASSIGN_OR_RETURN(auto dims, IntegerValues(value));
    if (value.rank() == 0 && dims[0] == -1) return Shape::Unknown();
    return Shape::Make(dims);
  }
  const auto known = shapes_.find(EndpointKey(e));
  if (known != shapes_.end() && known->second.depth >= depth) return known->second.shape;
  RAMET_ASSIGN_OR_RETURN(Shape shape, PartialShapeOfNode(e, depth));
  shapes_[EndpointKey(e)] = {shape, depth};
  return shape;
}

StatusOr<Shape> ConstantEvaluator::PartialShapeOfNode(Endpoint e, int depth) {
  const std::string& type = graph_.nodes[e.node].op->name();
  auto inputs = graph_.inputs(e.node);
  if (depth > 0 && !inputs.empty() && Spend(kWorkPerVisit)) {
    if (type == "Shape") return graph_.output(inputs[0]).shape;
    if (type == "Identity" || type == "Cast") return PartialShape(inputs[0], depth - 1);
    if (type == "Pack") return PackedShape(inputs);
    if (type == "ConcatV2") return ConcatenatedShape(inputs.first(inputs.size() - 1), depth);
  }
  const Shape& vector = graph_.output(e).shape;
  if (vector.rank() != 1 || vector.dim(0) < 0 || vector.dim(0) > Shape::kMaxRank) {
    return Shape::Unknown();
  }
  return Shape::OfRank(static_cast<int>(vector.dim(0)));
}

StatusOr<Shape> ConstantEvaluator::ConcatenatedShape(std::span<const Endpoint> inputs, int depth) {
  std::vector<int64_t> dims;
  bool unknown = false;
  for (Endpoint in : inputs) {
    RAMET_ASSIGN_OR_RETURN(const Shape piece, PartialShape(in, depth - 1));
    unknown = unknown || piece.unknown_rank();
    if (unknown || dims.size() > Shape::kMaxRank) continue;
    dims.insert(dims.end(), piece.dims().begin(), piece.dims().end());
  }
  return unknown ? Shape::Unknown() : Shape::Make(dims);
}

StatusOr<Shape> ConstantEvaluator::PackedShape(std::span<const Endpoint> inputs) {
  if (inputs.size() > Shape::kMaxRank) return Shape::Unknown();
  std::vector<int64_t> dims;
  for (Endpoint in : inputs) {
    const Tensor value = ValueOf(in);
    int64_t dim = Shape::kUnknownDim;
    if (!value.empty() && value.num_elements() == 1) {
      RAMET_ASSIGN_OR_RETURN(auto values, IntegerValues(value));
      dim = values[0];
    }
    dims.push_back(dim);
  }
  return Shape::Make(dims);
}

}  // namespace ramet
