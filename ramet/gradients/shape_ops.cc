#include "ramet/gradients/shape_ops.h"

#include <complex>

#include "ramet/graph/scope.h"

namespace ramet {
namespace {

// Larger constants are made by Fill, so that files stay small (TensorFlow's limit).
constexpr int64_t kSmallElements = 1000;

Tensor DimsTensor(const Shape& shape) {
  Tensor dims(kInt32, Shape{shape.rank()});
  for (int i = 0; i < shape.rank(); ++i) {
    dims.mutable_data<int32_t>()[i] = static_cast<int32_t>(shape.dim(i));
  }
  return dims;
}

Output StaticZeros(const Output& x) {
  Graph& graph = *x.graph();
  Scope here(graph);
  Scope scope = here.NameScope("zeros_like");
  const DType dtype = BaseType(x.dtype());
  auto zero = NumberTensor(dtype, 0);
  if (!zero.ok()) {
    graph.RecordError(zero.status().WithContext(StrCat("zeros like ", x.name())));
    return Output();
  }
  if (x.shape().num_elements() >= kSmallElements) {
    return FillWith(graph, Constant(graph, DimsTensor(x.shape()), "shape_as_tensor"), dtype, 0,
                    scope.name());
  }
  auto zeros = Tensor::Allocate(dtype, x.shape());
  if (!zeros.ok()) {
    graph.RecordError(zeros.status());
    return Output();
  }
  std::fill_n(static_cast<char*>(zeros->raw_data()), zeros->bytes(), 0);
  return Constant(graph, *zeros, scope.name());
}

Output ResourceZeros(const Output& handle) {
  Graph& graph = *handle.graph();
  StatusOr<DType> dtype = handle.op().attr<DType>("dtype");
  if (!dtype.ok()) {
    graph.RecordError(InvalidArgument("zeros like ", handle.name(), ": the dtype of the variable "
                                      "behind this handle is not known here"));
    return Output();
  }
  Output dims = AddOp(graph, "VariableShape", {handle}).output(0);
  return FillWith(graph, dims, *dtype, 0, "zeros");
}

}  // namespace

StatusOr<Tensor> NumberTensor(DType dtype, int value) {
  const float f = static_cast<float>(value);
  switch (dtype) {
    case DType::kFloat: return Tensor(f);
    case DType::kDouble: return Tensor(static_cast<double>(value));
    case DType::kHalf: return Tensor::Of<Half>(Shape(), {Half(f)});
    case DType::kBFloat16: return Tensor::Of<BFloat16>(Shape(), {BFloat16(f)});
    case DType::kComplex64: return Tensor::Of<std::complex<float>>(Shape(), {f});
    case DType::kComplex128: return Tensor::Of<std::complex<double>>(Shape(), {f});
    case DType::kInt8: return Tensor(static_cast<int8_t>(value));
    case DType::kInt16: return Tensor(static_cast<int16_t>(value));
    case DType::kInt32: return Tensor(static_cast<int32_t>(value));
    case DType::kInt64: return Tensor(static_cast<int64_t>(value));
    case DType::kUInt8: return Tensor(static_cast<uint8_t>(value));
    case DType::kUInt16: return Tensor(static_cast<uint16_t>(value));
    case DType::kUInt32: return Tensor(static_cast<uint32_t>(value));
    case DType::kUInt64: return Tensor(static_cast<uint64_t>(value));
    case DType::kBool: return Tensor(value != 0);
    default: return InvalidArgument("dtype ", DTypeName(dtype), " has no number ", value);
  }
}

Output ShapeVector(const Output& x) {
  if (!x.valid()) return Output();
  const Shape shape = x.shape();
  if (shape.IsFullyDefined()) return Constant(*x.graph(), DimsTensor(shape), "Shape");
  return AddOp(*x.graph(), "Shape", {x}).output(0);
}

Output FillWith(Graph& graph, const Output& dims, DType dtype, int value, std::string_view name) {
  auto number = NumberTensor(dtype, value);
  if (!number.ok()) {
    graph.RecordError(number.status().WithContext(StrCat("filling '", name, "'")));
    return Output();
  }
  Scope here(graph);
  Scope scope = here.NameScope(name);
  return AddOp(graph, "Fill", {dims, Constant(graph, *number, "Const")}, {}, scope.name()).output(0);
}

Output ZerosLikeOutput(const Output& x, bool as_constant) {
  if (!x.valid()) return Output();
  if (BaseType(x.dtype()) == DType::kResource) return ResourceZeros(x);
  if (as_constant && x.shape().IsFullyDefined() && BaseType(x.dtype()) != DType::kVariant) {
    return StaticZeros(x);
  }
  return AddOp(*x.graph(), "ZerosLike", {x}, {}, "zeros_like").output(0);
}

}  // namespace ramet
