#include "ramet/ops/array/grad_util.h"

#include "ramet/graph/scope.h"

namespace ramet {
namespace {

Tensor IntegerTensor(DType type, const Shape& shape, std::span<const int64_t> values) {
  Tensor t(type, shape);
  for (size_t i = 0; i < values.size(); ++i) {
    if (type == DType::kInt64) {
      t.mutable_data<int64_t>()[i] = values[i];
    } else {
      t.mutable_data<int32_t>()[i] = static_cast<int32_t>(values[i]);
    }
  }
  return t;
}

// Adds the nodes that the slicing operator of TensorFlow's Python API adds.
Output StridedSliceOf(GradientContext& c, const Output& x, int begin, int end, AttrMap attrs) {
  Scope here(c.graph());
  Scope scope = here.NameScope("strided_slice");
  std::vector<Input> inputs = {x};
  for (const auto& [name, value] :
       {std::pair("stack", begin), std::pair("stack_1", end), std::pair("stack_2", 1)}) {
    inputs.push_back(Constant(c.graph(), Tensor::Vector<int32_t>({value}), name));
  }
  return c.Add("StridedSlice", inputs, std::move(attrs), scope.name());
}

}  // namespace

Output ShapeOf(GradientContext& c, const Output& x, DType type) {
  const Shape shape = x.shape();
  if (!shape.IsFullyDefined()) return c.Add("Shape", {x}, {{"out_type", type}});
  return Constant(c.graph(), IntegerTensor(type, Shape{shape.rank()}, shape.dims()), "Shape");
}

Output SizeOf(GradientContext& c, const Output& x, DType type) {
  const int64_t size = x.shape().num_elements();
  if (size < 0) return c.Add("Size", {x}, {{"out_type", type}});
  return Constant(c.graph(), IntegerTensor(type, Shape(), std::span(&size, 1)), "Size");
}

Output RankOf(GradientContext& c, const Output& x) {
  if (x.shape().unknown_rank()) return c.Add("Rank", {x});
  return Constant(c.graph(), Tensor(static_cast<int32_t>(x.shape().rank())), "Rank");
}

Output VariableShapeOf(GradientContext& c, const Output& handle, DType type) {
  const Shape shape = HandleShape(handle);
  if (!shape.IsFullyDefined()) return c.Add("VariableShape", {handle}, {{"out_type", type}});
  return Constant(c.graph(), IntegerTensor(type, Shape{shape.rank()}, shape.dims()));
}

Output ReshapeLike(GradientContext& c, const Output& grad, const Output& like) {
  return c.Add("Reshape", {grad, ShapeOf(c, like)});
}

Output SliceFrom(GradientContext& c, const Output& x, int begin) {
  return StridedSliceOf(c, x, begin, 0, {{"end_mask", 1}});
}

Output SliceTo(GradientContext& c, const Output& x, const Input& end) {
  Output stop = c.Add("Reshape", {end, Tensor::Vector<int32_t>({1})});
  return c.Add("StridedSlice",
               {x, Tensor::Vector<int32_t>({0}), stop, Tensor::Vector<int32_t>({1})},
               {{"begin_mask", 1}});
}

Output ElementAt(GradientContext& c, const Output& x, int i) {
  return StridedSliceOf(c, x, i, i + 1, {{"shrink_axis_mask", 1}});
}

Output ConcatVectors(GradientContext& c, std::vector<Input> parts) {
  const int64_t n = static_cast<int64_t>(parts.size());
  parts.emplace_back(Tensor(int32_t{0}));
  return c.Add("ConcatV2", parts, {{"N", n}}, "concat");
}

Status PassGradient(GradientContext& c) { return c.Return({c.raw_grad()}); }

}  // namespace ramet
