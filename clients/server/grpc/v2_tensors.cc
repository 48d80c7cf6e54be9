#include "grpc/v2_tensors.h"

#include <type_traits>
#include <utility>

#include "inference/open_inference.h"

namespace server {
namespace {

using inference::InferTensorContents;
using ramet::DType;
using ramet::Shape;
using ramet::Tensor;

ramet::Status WrongSize(std::string_view what, size_t found, int64_t expected) {
  return ramet::InvalidArgument("has ", found, " ", what, ", but its shape and datatype need ",
                                expected);
}

ramet::StatusOr<Tensor> FromRaw(const std::string& raw, DType dtype, const Shape& shape) {
  if (dtype != DType::kString) {
    RAMET_ASSIGN_OR_RETURN(const size_t bytes, ramet::TensorBytes(dtype, shape));
    if (raw.size() != bytes) {
      return WrongSize("bytes of raw contents", raw.size(), static_cast<int64_t>(bytes));
    }
  }
  auto tensor = TensorFromBinary(raw, dtype, shape);
  if (!ramet::IsInvalidArgument(tensor.status())) return tensor;
  return tensor.status().WithContext("has wrong raw contents");
}

template <class T, class Values>
ramet::StatusOr<Tensor> FromValues(const Values& values, const Shape& shape) {
  if (values.size() != shape.num_elements()) {
    return WrongSize("values", static_cast<size_t>(values.size()), shape.num_elements());
  }
  RAMET_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(ramet::DTypeOf<T>::value, shape));
  T* out = tensor.mutable_data<T>();
  for (const auto& value : values) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      if (!std::in_range<T>(value)) {
        return ramet::InvalidArgument("has the value ", value, ", which does not fit ",
                                      ramet::DTypeName(tensor.dtype()));
      }
    }
    *out++ = static_cast<T>(value);
  }
  return tensor;
}

ramet::StatusOr<Tensor> FromContents(const InferTensorContents& contents, DType dtype,
                                     const Shape& shape) {
  switch (dtype) {
    case DType::kBool: return FromValues<bool>(contents.bool_contents(), shape);
    case DType::kInt8: return FromValues<int8_t>(contents.int_contents(), shape);
    case DType::kInt16: return FromValues<int16_t>(contents.int_contents(), shape);
    case DType::kInt32: return FromValues<int32_t>(contents.int_contents(), shape);
    case DType::kInt64: return FromValues<int64_t>(contents.int64_contents(), shape);
    case DType::kUInt8: return FromValues<uint8_t>(contents.uint_contents(), shape);
    case DType::kUInt16: return FromValues<uint16_t>(contents.uint_contents(), shape);
    case DType::kUInt32: return FromValues<uint32_t>(contents.uint_contents(), shape);
    case DType::kUInt64: return FromValues<uint64_t>(contents.uint64_contents(), shape);
    case DType::kFloat: return FromValues<float>(contents.fp32_contents(), shape);
    case DType::kDouble: return FromValues<double>(contents.fp64_contents(), shape);
    case DType::kString: return FromValues<std::string>(contents.bytes_contents(), shape);
    default: return ramet::InvalidArgument("has a datatype that only raw_input_contents can hold");
  }
}

template <class T, class Values>
void AddValues(const Tensor& tensor, Values* values) {
  values->Reserve(static_cast<int>(tensor.num_elements()));
  for (const T value : tensor.flat<T>()) values->Add(value);
}

}  // namespace

ramet::StatusOr<Tensor> V2InputTensor(const inference::ModelInferRequest::InferInputTensor& input,
                                      const std::string* raw) {
  const auto read = [&]() -> ramet::StatusOr<Tensor> {
    const auto parsed = ParseOpenDatatype(input.datatype());
    if (!parsed.ok()) return ramet::InvalidArgument("has the ", parsed.status().message());
    const DType dtype = *parsed;
    for (const int64_t dim : input.shape()) {
      if (dim < 0) return ramet::InvalidArgument("has the dimension ", dim, " in its shape");
    }
    RAMET_ASSIGN_OR_RETURN(
        const Shape shape,
        Shape::Make({input.shape().data(), static_cast<size_t>(input.shape_size())}));
    return raw ? FromRaw(*raw, dtype, shape) : FromContents(input.contents(), dtype, shape);
  };
  auto tensor = read();
  if (tensor.ok()) return tensor;
  return ramet::Status(tensor.status().code(),
                       ramet::StrCat("input '", input.name(), "' ", tensor.status().message()));
}

void DescribeV2Output(const std::string& name, const Tensor& tensor,
                      inference::ModelInferResponse::InferOutputTensor* output) {
  output->set_name(name);
  output->set_datatype(OpenDatatypeName(tensor.dtype()));
  for (const int64_t dim : tensor.shape().dims()) output->add_shape(dim);
}

bool HasV2Contents(DType dtype) {
  return dtype == DType::kBool || dtype == DType::kString || dtype == DType::kFloat ||
         dtype == DType::kDouble || ramet::IsInteger(dtype);
}

void WriteV2Contents(const Tensor& tensor, InferTensorContents* out) {
  switch (tensor.dtype()) {
    case DType::kBool: return AddValues<bool>(tensor, out->mutable_bool_contents());
    case DType::kInt8: return AddValues<int8_t>(tensor, out->mutable_int_contents());
    case DType::kInt16: return AddValues<int16_t>(tensor, out->mutable_int_contents());
    case DType::kInt32: return AddValues<int32_t>(tensor, out->mutable_int_contents());
    case DType::kInt64: return AddValues<int64_t>(tensor, out->mutable_int64_contents());
    case DType::kUInt8: return AddValues<uint8_t>(tensor, out->mutable_uint_contents());
    case DType::kUInt16: return AddValues<uint16_t>(tensor, out->mutable_uint_contents());
    case DType::kUInt32: return AddValues<uint32_t>(tensor, out->mutable_uint_contents());
    case DType::kUInt64: return AddValues<uint64_t>(tensor, out->mutable_uint64_contents());
    case DType::kFloat: return AddValues<float>(tensor, out->mutable_fp32_contents());
    case DType::kDouble: return AddValues<double>(tensor, out->mutable_fp64_contents());
    case DType::kString:
      for (const std::string& s : tensor.flat<std::string>()) out->add_bytes_contents(s);
      return;
    default: return;
  }
}

}  // namespace server
