#include "rest/v2_tensor.h"

#include <cctype>
#include <cstring>
#include <limits>
#include <utility>

namespace server {
namespace {

using EventKind = JsonEvent::Kind;

constexpr std::pair<ramet::DType, const char*> kDatatypes[] = {
    {ramet::kBool, "BOOL"},     {ramet::kUInt8, "UINT8"},   {ramet::kUInt16, "UINT16"},
    {ramet::kUInt32, "UINT32"}, {ramet::kUInt64, "UINT64"}, {ramet::kInt8, "INT8"},
    {ramet::kInt16, "INT16"},   {ramet::kInt32, "INT32"},   {ramet::kInt64, "INT64"},
    {ramet::kHalf, "FP16"},     {ramet::kFloat, "FP32"},    {ramet::kDouble, "FP64"},
    {ramet::kString, "BYTES"},  {ramet::kBFloat16, "BF16"}};

class FlatHandler : public JsonHandler {
 public:
  explicit FlatHandler(FlatReader reader) : reader_(reader) {}
  bool OnEvent(const JsonEvent& event) override {
    bool done = false;
    status_ = reader_.Add(event, &done);
    return status_.ok() && !done;
  }
  const ramet::Status& status() const { return status_; }

 private:
  FlatReader reader_;
  ramet::Status status_ = {};
};

ramet::Status WrongInput(const V2Input& input, const std::string& text) {
  return ramet::InvalidArgument("input '", input.name, "': ", text);
}

// Reads the list that came before its datatype.
ramet::Status ReadElements(std::string_view json, ramet::DType dtype, int64_t max_elements,
                           V2Input* input) {
  input->elements.emplace(dtype);
  const size_t begin = json.find_first_not_of(" \t\r\n:", *input->data_offset);
  const std::string_view list = json.substr(begin);
  FlatHandler handler(FlatReader(list, max_elements, &*input->elements));
  RAMET_RETURN_IF_ERROR(ReadJson(list, &handler));
  return handler.status();
}

uint32_t ReadLength(std::string_view bytes) {
  uint32_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  return length;
}

ramet::StatusOr<ramet::Tensor> ReadStrings(const V2Input& input, const ramet::Shape& shape,
                                           std::string_view bytes) {
  constexpr size_t kLengthBytes = sizeof(uint32_t);
  const auto cut_off = [&] { return WrongInput(input, "its binary data ends within a string"); };
  // Each string needs its length, so that the shape cannot ask for more than was sent.
  if (static_cast<uint64_t>(shape.num_elements()) > bytes.size() / kLengthBytes) return cut_off();
  RAMET_ASSIGN_OR_RETURN(ramet::Tensor tensor, ramet::Tensor::Allocate(ramet::kString, shape));
  for (std::string& value : tensor.mutable_flat<std::string>()) {
    if (bytes.size() < kLengthBytes) return cut_off();
    const uint32_t length = ReadLength(bytes);
    bytes.remove_prefix(kLengthBytes);
    if (bytes.size() < length) return cut_off();
    value = bytes.substr(0, length);
    bytes.remove_prefix(length);
  }
  if (bytes.empty()) return tensor;
  return WrongInput(input, "its binary data has more strings than its shape");
}

ramet::StatusOr<ramet::Tensor> ReadBinary(const V2Input& input, ramet::DType dtype,
                                          const ramet::Shape& shape, std::string_view* binary) {
  if (*input.binary_bytes < 0 || static_cast<uint64_t>(*input.binary_bytes) > binary->size()) {
    return WrongInput(input, ramet::StrCat("binary_data_size is ", *input.binary_bytes, ", but ",
                                           binary->size(), " bytes are left after the JSON"));
  }
  const std::string_view bytes = binary->substr(0, static_cast<size_t>(*input.binary_bytes));
  binary->remove_prefix(bytes.size());
  if (dtype == ramet::kString) return ReadStrings(input, shape, bytes);
  RAMET_ASSIGN_OR_RETURN(const size_t expected, ramet::TensorBytes(dtype, shape));
  if (bytes.size() != expected) {
    return WrongInput(
        input, ramet::StrCat("binary_data_size is ", bytes.size(), ", but a ", input.datatype,
                             " tensor of shape ", shape, " has ", expected, " bytes"));
  }
  RAMET_ASSIGN_OR_RETURN(ramet::Tensor tensor, ramet::Tensor::Allocate(dtype, shape));
  char* const to = static_cast<char*>(tensor.raw_data());
  if (dtype == ramet::kBool) {
    for (size_t i = 0; i < bytes.size(); ++i) to[i] = bytes[i] != 0;
  } else if (!bytes.empty()) {
    std::memcpy(to, bytes.data(), bytes.size());
  }
  return tensor;
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
  for (const auto& [dtype, known] : kDatatypes) {
    if (known == name) return dtype;
  }
  return ramet::InvalidArgument("unknown datatype '", name,
                                "'; expected BOOL, INT8 to INT64, UINT8 to UINT64, FP16, FP32, "
                                "FP64, BF16 or BYTES");
}

ramet::Status FlatReader::Add(const JsonEvent& event, bool* done) {
  *done = end_.Add(event);
  if (event.IsEnd()) return ramet::OkStatus();
  if (event.kind == EventKind::kStartArray) return ramet::OkStatus();
  if (elements_.size() >= max_elements_) {
    return ramet::InvalidArgument("a tensor of the request has more than ", max_elements_,
                                  " elements");
  }
  const auto result = elements_.Add(event);
  if (result == GrowingTensor::Result::kOk) return ramet::OkStatus();
  if (result == GrowingTensor::Result::kNoMemory) {
    return ramet::ResourceExhausted("there is not enough memory for the request");
  }
  return ramet::InvalidArgument("JSON Value: ", QuoteValue(json_, event.offset),
                                " Type: ", JsonTypeName(event),
                                " is not of expected type: ", OpenDatatypeName(elements_.dtype()));
}

ramet::StatusOr<ramet::Tensor> TakeV2Tensor(std::string_view json, int64_t max_elements,
                                            V2Input* input, std::string_view* binary) {
  if (input->name.empty()) return ramet::InvalidArgument("an input has no name");
  if (!input->has_shape) return WrongInput(*input, "it has no shape");
  const auto parsed = ParseOpenDatatype(input->datatype);
  if (!parsed.ok()) return WrongInput(*input, parsed.status().message());
  const ramet::DType dtype = *parsed;
  const auto shape = ramet::Shape::Make(input->shape);
  if (!shape.ok() || !shape->IsFullyDefined()) {
    return WrongInput(*input, "a dimension of its shape is negative, or the shape is too large");
  }
  if (input->binary_bytes) return ReadBinary(*input, dtype, *shape, binary);
  if (!input->data_offset) {
    return WrongInput(*input, "it has neither data nor the parameter binary_data_size");
  }
  if (!input->elements) {
    const ramet::Status status = ReadElements(json, dtype, max_elements, input);
    if (!status.ok()) return WrongInput(*input, status.message());
  }
  if (input->elements->size() != shape->num_elements()) {
    return WrongInput(
        *input, ramet::StrCat("its data has ", input->elements->size(), " elements, but its shape ",
                              *shape, " has ", shape->num_elements()));
  }
  return input->elements->Take(*shape);
}

ramet::Status AppendV2Bytes(const ramet::Tensor& tensor, std::string* out) {
  if (tensor.dtype() != ramet::kString) {
    out->append(static_cast<const char*>(tensor.raw_data()), tensor.bytes());
    return ramet::OkStatus();
  }
  for (const std::string& value : tensor.flat<std::string>()) {
    if (value.size() > std::numeric_limits<uint32_t>::max()) {
      return ramet::InvalidArgument("an output has a string of 4 GiB or more");
    }
    const auto length = static_cast<uint32_t>(value.size());
    char bytes[sizeof length];
    std::memcpy(bytes, &length, sizeof length);
    out->append(bytes, sizeof length);
    *out += value;
  }
  return ramet::OkStatus();
}

}  // namespace server
