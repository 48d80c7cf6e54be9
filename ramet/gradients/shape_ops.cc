#include "ramet/gradients/shape_ops.h"

#include <cmath>
#include <complex>
#include <limits>

#include "ramet/graph/graph_data.h"
#include "ramet/graph/resource_handles.h"
#include "ramet/graph/scope.h"

namespace ramet {
namespace {

// Larger constants use Fill, so that files stay small. The limit is TensorFlow's.
constexpr int64_t kSmallElements = 1000;

template <class T>
StatusOr<Tensor> IntegerTensor(double value) {
  // The maxima of 64-bit types are not doubles, but 2^63 and 2^64, just outside of the range, are.
  constexpr double kBelow = static_cast<double>(std::numeric_limits<T>::max() / 2 + 1) * 2;
  constexpr double kLowest = static_cast<double>(std::numeric_limits<T>::min());
  if (!(value >= kLowest && value < kBelow) || value != std::floor(value)) {
    return InvalidArgument("the number ", value, " cannot be represented as ",
                           DTypeName(DTypeOf<T>::value));
  }
  return Tensor(static_cast<T>(value));
}

template <class T>
Tensor ClassTensor(T value) {
  Tensor t(DTypeOf<T>::value, Shape());
  *t.mutable_data<T>() = value;
  return t;
}

Tensor RepeatBytes(const Tensor& element, const Shape& shape) {
  Tensor t(element.dtype(), shape);
  auto* to = static_cast<char*>(t.raw_data());
  const auto* from = static_cast<const char*>(element.raw_data());
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    to = std::copy_n(from, element.bytes(), to);
  }
  return t;
}

Output ResourceZeros(const Output& handle) {
  Graph& graph = *handle.graph();
  const DType dtype = HandleType(handle);
  if (dtype == DType::kInvalid) {
    graph.RecordError(InvalidArgument("zeros like ", handle.name(),
                                      ": the dtype of the variable "
                                      "that this handle refers to is unknown"));
    return Output();
  }
  Output dims = AddOp(graph, "VariableShape", {handle}).output(0);
  return FillWith(graph, dims, dtype, 0, "zeros");
}

}  // namespace

DType HandleType(const Output& handle) {
  if (!handle.valid()) return DType::kInvalid;
  const GraphData& impl = GraphDataOf(*handle.graph());
  ReaderLock lock(impl.mutex);
  return HandleOf(impl, {handle.op().id(), handle.index()}).first;
}

DType ContentType(const Output& x) {
  return BaseType(x.dtype()) == DType::kResource ? HandleType(x) : BaseType(x.dtype());
}

StatusOr<Tensor> NumberTensor(DType dtype, double value) {
  const float f = static_cast<float>(value);
  switch (dtype) {
    case DType::kFloat: return Tensor(f);
    case DType::kDouble: return Tensor(value);
    case DType::kHalf: return ClassTensor(Half(f));
    case DType::kBFloat16: return ClassTensor(BFloat16(f));
    case DType::kComplex64: return ClassTensor(std::complex<float>(f));
    case DType::kComplex128: return ClassTensor(std::complex<double>(value));
    case DType::kInt8: return IntegerTensor<int8_t>(value);
    case DType::kInt16: return IntegerTensor<int16_t>(value);
    case DType::kInt32: return IntegerTensor<int32_t>(value);
    case DType::kInt64: return IntegerTensor<int64_t>(value);
    case DType::kUInt8: return IntegerTensor<uint8_t>(value);
    case DType::kUInt16: return IntegerTensor<uint16_t>(value);
    case DType::kUInt32: return IntegerTensor<uint32_t>(value);
    case DType::kUInt64: return IntegerTensor<uint64_t>(value);
    case DType::kBool: return Tensor(value != 0);
    default: return InvalidArgument("dtype ", DTypeName(dtype), " cannot represent ", value);
  }
}

Tensor ZerosTensor(DType dtype, const Shape& shape) {
  Tensor zeros(dtype, shape);
  std::fill_n(static_cast<char*>(zeros.raw_data()), zeros.bytes(), 0);
  return zeros;
}

Tensor DimsTensor(const Shape& shape, DType dtype) {
  std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  for (int64_t d : dims) {
    if (dtype == DType::kInt64 || d > std::numeric_limits<int32_t>::max())
      return Tensor::Vector(dims);
  }
  return Tensor::Vector(std::vector<int32_t>(dims.begin(), dims.end()));
}

Output ShapeVector(const Output& x) {
  if (!x.valid()) return Output();
  const Shape shape = x.shape();
  if (shape.IsFullyDefined()) return Constant(*x.graph(), DimsTensor(shape), "Shape");
  return AddOp(*x.graph(), "Shape", {x}).output(0);
}

Output RuntimeShape(const Output& x, DType dtype) {
  if (!x.valid()) return Output();
  if (BaseType(x.dtype()) != DType::kResource) {
    return AddOp(*x.graph(), "Shape", {x}, {{"out_type", dtype}}).output(0);
  }
  const Shape known = HandleShape(x);
  if (known.IsFullyDefined()) return Constant(*x.graph(), DimsTensor(known, dtype));
  return AddOp(*x.graph(), "VariableShape", {x}, {{"out_type", dtype}}).output(0);
}

Output FillWith(Graph& graph, const Output& dims, DType dtype, double value,
                std::string_view name) {
  auto number = NumberTensor(dtype, value);
  if (!number.ok()) {
    graph.RecordError(number.status().WithContext(StrCat("filling '", name, "'")));
    return Output();
  }
  Scope here(graph);
  Scope scope = here.NameScope(name);
  return AddOp(graph, "Fill", {dims, Constant(graph, *number, "Const")}, {}, scope.name())
      .output(0);
}

Output FilledTensor(Graph& graph, const Shape& shape, DType dtype, double value,
                    std::string_view name) {
  Scope here(graph);
  Scope scope = here.NameScope(name);
  if (shape.num_elements() >= kSmallElements) {
    Output dims = Constant(graph, DimsTensor(shape), "shape_as_tensor");
    return FillWith(graph, dims, dtype, value, scope.name());
  }
  if (dtype == kString) return Constant(graph, Tensor(dtype, shape), scope.name());
  auto number = NumberTensor(dtype, value);
  if (!number.ok() || !shape.IsFullyDefined()) {
    graph.RecordError(
        !number.ok() ? number.status().WithContext(StrCat("filling '", name, "'"))
                     : InvalidArgument("'", name, "' needs a fully defined shape, not ", shape));
    return Output();
  }
  return Constant(graph, RepeatBytes(*number, shape), scope.name());
}

Output ZerosLikeOutput(const Output& x, bool as_constant) {
  if (!x.valid()) return Output();
  if (BaseType(x.dtype()) == DType::kResource) return ResourceZeros(x);
  if (as_constant && x.shape().IsFullyDefined() && BaseType(x.dtype()) != DType::kVariant) {
    return FilledTensor(*x.graph(), x.shape(), BaseType(x.dtype()), 0, "zeros_like");
  }
  return AddOp(*x.graph(), "ZerosLike", {x}, {}, "zeros_like").output(0);
}

}  // namespace ramet
