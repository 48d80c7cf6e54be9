#include "grpc/v2_tensors.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <limits>
#include <utility>

namespace server {
namespace {

using inference::InferTensorContents;
using ramet::DType;
using ramet::Shape;
using ramet::Tensor;

struct Datatype {
  std::string_view name;
  DType dtype;
};
constexpr Datatype kDatatypes[] = {
    {"BOOL", DType::kBool},     {"UINT8", DType::kUInt8},   {"UINT16", DType::kUInt16},
    {"UINT32", DType::kUInt32}, {"UINT64", DType::kUInt64}, {"INT8", DType::kInt8},
    {"INT16", DType::kInt16},   {"INT32", DType::kInt32},   {"INT64", DType::kInt64},
    {"FP16", DType::kHalf},     {"FP32", DType::kFloat},    {"FP64", DType::kDouble},
    {"BYTES", DType::kString},  {"BF16", DType::kBFloat16},
};

constexpr size_t kLengthBytes = 4;

ramet::Status WrongSize(std::string_view what, size_t found, int64_t expected) {
  return ramet::InvalidArgument("has ", found, " ", what, ", but its shape and datatype need ",
                                expected);
}

ramet::StatusOr<Tensor> FromRawStrings(const std::string& raw, const Shape& shape) {
  const int64_t count = shape.num_elements();
  if (count > static_cast<int64_t>(raw.size() / kLengthBytes)) {
    return WrongSize("bytes of raw contents for strings with lengths", raw.size(), count);
  }
  RAMET_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(DType::kString, shape));
  std::string_view rest = raw;
  for (std::string& out : tensor.mutable_flat<std::string>()) {
    uint32_t length = 0;
    if (rest.size() >= kLengthBytes) std::memcpy(&length, rest.data(), kLengthBytes);
    if (rest.size() < kLengthBytes || rest.size() - kLengthBytes < length) {
      return ramet::InvalidArgument("has raw contents that end within a string");
    }
    out = rest.substr(kLengthBytes, length);
    rest.remove_prefix(kLengthBytes + length);
  }
  if (!rest.empty()) return WrongSize("strings or more in its raw contents", 1, count);
  return tensor;
}

ramet::StatusOr<Tensor> FromRaw(const std::string& raw, DType dtype, const Shape& shape) {
  if (dtype == DType::kString) return FromRawStrings(raw, shape);
  RAMET_ASSIGN_OR_RETURN(const size_t bytes, ramet::TensorBytes(dtype, shape));
  if (raw.size() != bytes) {
    return WrongSize("bytes of raw contents", raw.size(), static_cast<int64_t>(bytes));
  }
  RAMET_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype, shape));
  if (bytes > 0) std::memcpy(tensor.raw_data(), raw.data(), bytes);
  if (dtype != DType::kBool) return tensor;
  auto* elements = static_cast<uint8_t*>(tensor.raw_data());
  std::transform(elements, elements + bytes, elements, [](uint8_t byte) { return byte != 0; });
  return tensor;
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

std::string V2DatatypeName(DType dtype) {
  for (const Datatype& datatype : kDatatypes) {
    if (datatype.dtype == dtype) return std::string(datatype.name);
  }
  std::string name = ramet::DTypeName(dtype);
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

ramet::StatusOr<DType> ParseV2Datatype(std::string_view name) {
  std::string names;
  for (const Datatype& datatype : kDatatypes) {
    if (datatype.name == name) return datatype.dtype;
    names.append(names.empty() ? "" : ", ").append(datatype.name);
  }
  return ramet::InvalidArgument("has the unknown datatype '", name, "'; expected one of ", names);
}

ramet::StatusOr<Tensor> V2InputTensor(const inference::ModelInferRequest::InferInputTensor& input,
                                      const std::string* raw) {
  const auto read = [&]() -> ramet::StatusOr<Tensor> {
    RAMET_ASSIGN_OR_RETURN(const DType dtype, ParseV2Datatype(input.datatype()));
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
  output->set_datatype(V2DatatypeName(tensor.dtype()));
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

std::string V2RawStrings(const Tensor& tensor) {
  std::string out;
  for (const std::string& s : tensor.flat<std::string>()) {
    const uint32_t length = static_cast<uint32_t>(s.size());
    out.append(reinterpret_cast<const char*>(&length), kLengthBytes).append(s);
  }
  return out;
}

}  // namespace server
