#include "ramet/builders/tensors.h"

#include <complex>

#include "ramet/gradients/shape_ops.h"

namespace ramet {
namespace {

template <class T>
double ElementAt(const Tensor& t, int64_t i) {
  return static_cast<double>(t.data<T>()[i]);
}

StatusOr<Tensor> ConvertNumber(const Tensor& number, DType dtype) {
  if (dtype == DType::kInvalid) {
    dtype = number.dtype() == kDouble ? kFloat : number.dtype();
  }
  if (dtype == number.dtype()) return number;
  RAMET_ASSIGN_OR_RETURN(double value, NumberAt(number, 0));
  return NumberTensor(dtype, value);
}

}  // namespace

StatusOr<double> NumberAt(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DType::kFloat: return ElementAt<float>(t, i);
    case DType::kDouble: return ElementAt<double>(t, i);
    case DType::kHalf: return static_cast<float>(t.data<Half>()[i]);
    case DType::kBFloat16: return static_cast<float>(t.data<BFloat16>()[i]);
    case DType::kComplex64: return t.data<std::complex<float>>()[i].real();
    case DType::kComplex128: return t.data<std::complex<double>>()[i].real();
    case DType::kInt8: return ElementAt<int8_t>(t, i);
    case DType::kInt16: return ElementAt<int16_t>(t, i);
    case DType::kInt32: return ElementAt<int32_t>(t, i);
    case DType::kInt64: return ElementAt<int64_t>(t, i);
    case DType::kUInt8: return ElementAt<uint8_t>(t, i);
    case DType::kUInt16: return ElementAt<uint16_t>(t, i);
    case DType::kUInt32: return ElementAt<uint32_t>(t, i);
    case DType::kUInt64: return ElementAt<uint64_t>(t, i);
    case DType::kBool: return ElementAt<bool>(t, i);
    default: return InvalidArgument("dtype ", DTypeName(t.dtype()), " is not numeric");
  }
}

Output ToTensor(Graph& graph, const Input& input, DType dtype, std::string_view name) {
  if (input.resource_variable().valid()) return ReadVariable(input.resource_variable());
  if (!input.is_constant()) return input.output();
  if (!input.weak()) return Constant(graph, input.constant(), name);
  auto value = ConvertNumber(input.constant(), dtype);
  if (value.ok()) return Constant(graph, *value, name);
  graph.RecordError(value.status().WithContext(StrCat("constant '", name, "'")));
  return Output();
}

Output CastTo(const Output& x, DType dtype, std::string_view name) {
  if (!x.valid() || BaseType(x.dtype()) == dtype) return x;
  return AddOp(*x.graph(), "Cast", {x}, {{"DstT", dtype}}, name).output(0);
}

bool IsIntegerLiteral(const Input& input, int64_t value) {
  if (!input.is_constant() || !input.weak() || IsFloating(input.constant().dtype())) return false;
  auto number = NumberAt(input.constant(), 0);
  return number.ok() && *number == static_cast<double>(value);
}

}  // namespace ramet
