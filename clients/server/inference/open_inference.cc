#include "inference/open_inference.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

namespace server {
namespace {

constexpr std::pair<ramet::DType, const char*> kDatatypes[] = {
    {ramet::kBool, "BOOL"},     {ramet::kUInt8, "UINT8"},   {ramet::kUInt16, "UINT16"},
    {ramet::kUInt32, "UINT32"}, {ramet::kUInt64, "UINT64"}, {ramet::kInt8, "INT8"},
    {ramet::kInt16, "INT16"},   {ramet::kInt32, "INT32"},   {ramet::kInt64, "INT64"},
    {ramet::kHalf, "FP16"},     {ramet::kFloat, "FP32"},    {ramet::kDouble, "FP64"},
    {ramet::kString, "BYTES"},  {ramet::kBFloat16, "BF16"}};

constexpr size_t kLengthBytes = sizeof(uint32_t);

ramet::Status CutOff() { return ramet::InvalidArgument("the binary data ends within a string"); }

ramet::StatusOr<ramet::Tensor> StringsFromBinary(std::string_view bytes,
                                                 const ramet::Shape& shape) {
  // Each string needs its length, so that the shape cannot ask for more than was sent.
  if (static_cast<uint64_t>(shape.num_elements()) > bytes.size() / kLengthBytes) return CutOff();
  RAMET_ASSIGN_OR_RETURN(ramet::Tensor tensor, ramet::Tensor::Allocate(ramet::kString, shape));
  for (std::string& value : tensor.mutable_flat<std::string>()) {
    uint32_t length = 0;
    if (bytes.size() < kLengthBytes) return CutOff();
    std::memcpy(&length, bytes.data(), kLengthBytes);
    bytes.remove_prefix(kLengthBytes);
    if (bytes.size() < length) return CutOff();
    value = bytes.substr(0, length);
    bytes.remove_prefix(length);
  }
  if (bytes.empty()) return tensor;
  return ramet::InvalidArgument("the binary data has more strings than the shape");
}

}  // namespace

std::string OpenDatatypeName(ramet::DType dtype) {
  for (const auto& [known, name] : kDatatypes) {
    if (known == dtype) return name;
  }
  std::string name = ramet::DTypeName(dtype);
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

ramet::StatusOr<ramet::DType> ParseOpenDatatype(std::string_view name) {
  std::string names;
  for (const auto& [dtype, known] : kDatatypes) {
    if (known == name) return dtype;
    names.append(names.empty() ? "" : ", ").append(known);
  }
  return ramet::InvalidArgument("unknown datatype '", name, "'; expected one of ", names);
}

const ramet::Signature* DescribedSignature(const Signatures& signatures) {
  const auto found = signatures.find(ramet::saved_model_keys::kDefaultServingSignature);
  if (found != signatures.end()) return &found->second;
  return signatures.size() == 1 ? &signatures.begin()->second : nullptr;
}

ramet::StatusOr<ramet::Tensor> TensorFromBinary(std::string_view bytes, ramet::DType dtype,
                                                const ramet::Shape& shape) {
  if (dtype == ramet::kString) return StringsFromBinary(bytes, shape);
  RAMET_ASSIGN_OR_RETURN(ramet::Tensor tensor, ramet::Tensor::Allocate(dtype, shape));
  char* const to = static_cast<char*>(tensor.raw_data());
  if (dtype == ramet::kBool) {
    std::transform(bytes.begin(), bytes.end(), to, [](char byte) { return byte != 0; });
  } else if (!bytes.empty()) {
    std::memcpy(to, bytes.data(), bytes.size());
  }
  return tensor;
}

ramet::Status AppendBinary(const ramet::Tensor& tensor, std::string* out) {
  if (tensor.dtype() != ramet::kString) {
    out->append(static_cast<const char*>(tensor.raw_data()), tensor.bytes());
    return ramet::OkStatus();
  }
  for (const std::string& value : tensor.flat<std::string>()) {
    if (value.size() > std::numeric_limits<uint32_t>::max()) {
      return ramet::InvalidArgument("an output has a string of 4 GiB or more");
    }
    const auto length = static_cast<uint32_t>(value.size());
    out->append(reinterpret_cast<const char*>(&length), kLengthBytes).append(value);
  }
  return ramet::OkStatus();
}

}  // namespace server
