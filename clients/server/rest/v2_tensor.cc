#include "rest/v2_tensor.h"

#include "inference/open_inference.h"

namespace server {
namespace {

using EventKind = JsonEvent::Kind;

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

ramet::StatusOr<ramet::Tensor> ReadBinary(const V2Input& input, ramet::DType dtype,
                                          const ramet::Shape& shape, std::string_view* binary) {
  if (*input.binary_bytes < 0 || static_cast<uint64_t>(*input.binary_bytes) > binary->size()) {
    return WrongInput(input, ramet::StrCat("binary_data_size is ", *input.binary_bytes, ", but ",
                                           binary->size(), " bytes are left after the JSON"));
  }
  const std::string_view bytes = binary->substr(0, static_cast<size_t>(*input.binary_bytes));
  binary->remove_prefix(bytes.size());
  if (dtype != ramet::kString) {
    RAMET_ASSIGN_OR_RETURN(const size_t expected, ramet::TensorBytes(dtype, shape));
    if (bytes.size() != expected) {
      return WrongInput(
          input, ramet::StrCat("binary_data_size is ", bytes.size(), ", but a ", input.datatype,
                               " tensor of shape ", shape, " has ", expected, " bytes"));
    }
  }
  auto tensor = TensorFromBinary(bytes, dtype, shape);
  if (!ramet::IsInvalidArgument(tensor.status())) return tensor;
  return WrongInput(input, tensor.status().message());
}

}  // namespace

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
    return ramet::ResourceExhausted("not enough memory for this request");
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

}  // namespace server
