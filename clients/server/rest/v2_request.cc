#include "rest/v2_request.h"

#include <algorithm>
#include <utility>

#include "inference/open_inference.h"
#include "json/json_reader.h"
#include "json/json_text.h"
#include "json/tensor_writer.h"
#include "rest/rest_address.h"
#include "rest/v2_tensor.h"

namespace server {
namespace {

using EventKind = JsonEvent::Kind;

constexpr size_t kMaxTensors = 1000;
constexpr size_t kMaxRank = ramet::Shape::kMaxRank;

// Reads the JSON of a request.
class V2Reader : public JsonHandler {
 public:
  V2Reader(std::string_view json, int64_t max_elements)
      : json_(json), max_elements_(max_elements) {}

  bool OnEvent(const JsonEvent& event) override {
    status_ = Add(event);
    return status_.ok();
  }
  const ramet::Status& status() const { return status_; }
  V2Request& request() { return request_; }
  std::vector<V2Input>& inputs() { return inputs_; }

 private:
  // The place of an event in the request. kData and kSkip take whole values.
  enum class Place : uint8_t {
    kStart,
    kRequest,
    kParameters,
    kInputs,
    kInput,
    kShape,
    kInputParameters,
    kData,
    kOutputs,
    kOutput,
    kOutputParameters,
    kSkip,
  };

  ramet::Status Add(const JsonEvent& event);
  ramet::Status Open(const JsonEvent& event);
  ramet::Status OpenData(const JsonEvent& event);
  // Returns the place within a value that begins under the current key; kSkip if it is unknown.
  Place Inside(const JsonEvent& event) const;
  ramet::Status Push(Place place);
  ramet::Status Assign(const JsonEvent& event);
  ramet::Status AssignInput(const JsonEvent& event);
  ramet::Status AssignDim(const JsonEvent& event);
  ramet::Status AddToValue(const JsonEvent& event);
  ramet::Status WrongField(const JsonEvent& event, std::string_view expected) const {
    return ramet::InvalidArgument("'", key_, "' is ", QuoteValue(json_, event.offset),
                                  "; expected ", expected);
  }

  const std::string_view json_;
  const int64_t max_elements_;
  V2Request request_ = {};
  std::vector<V2Input> inputs_ = {};
  std::vector<Place> places_ = {Place::kStart};
  std::string key_ = {};
  ValueEnd value_end_ = {};
  std::optional<FlatReader> data_ = {};
  ramet::Status status_ = {};
};

V2Reader::Place V2Reader::Inside(const JsonEvent& event) const {
  const bool array = event.kind == EventKind::kStartArray;
  switch (places_.back()) {
    case Place::kStart: return array ? Place::kSkip : Place::kRequest;
    case Place::kRequest:
      if (array && key_ == "inputs") return Place::kInputs;
      if (array && key_ == "outputs") return Place::kOutputs;
      return !array && key_ == "parameters" ? Place::kParameters : Place::kSkip;
    case Place::kInputs: return array ? Place::kSkip : Place::kInput;
    case Place::kInput:
      if (array && key_ == "shape") return Place::kShape;
      if (array && key_ == "data") return Place::kData;
      return !array && key_ == "parameters" ? Place::kInputParameters : Place::kSkip;
    case Place::kOutputs: return array ? Place::kSkip : Place::kOutput;
    case Place::kOutput:
      return !array && key_ == "parameters" ? Place::kOutputParameters : Place::kSkip;
    default: return Place::kSkip;
  }
}

ramet::Status V2Reader::Push(Place place) {
  if (place == Place::kInput) {
    inputs_.emplace_back();
  } else if (place == Place::kOutput) {
    request_.outputs.emplace_back();
  } else if (place == Place::kShape) {
    inputs_.back().has_shape = true;
    inputs_.back().shape.clear();
  }
  if (inputs_.size() > kMaxTensors || request_.outputs.size() > kMaxTensors) {
    return ramet::InvalidArgument("the request has more than ", kMaxTensors, " tensors");
  }
  places_.push_back(place);
  return ramet::OkStatus();
}

ramet::Status V2Reader::Open(const JsonEvent& event) {
  const Place place = Inside(event);
  if (places_.back() == Place::kStart && place == Place::kSkip) {
    return ramet::InvalidArgument("the request must be a JSON object");
  }
  if ((places_.back() == Place::kInputs || places_.back() == Place::kOutputs) &&
      place == Place::kSkip) {
    return WrongField(event, "a list of objects");
  }
  value_end_ = {};
  RAMET_RETURN_IF_ERROR(Push(place));
  if (place == Place::kData) return OpenData(event);
  if (place == Place::kSkip) value_end_.Add(event);
  return ramet::OkStatus();
}

// The list is read now if its datatype is known, and skipped otherwise.
ramet::Status V2Reader::OpenData(const JsonEvent& event) {
  V2Input& input = inputs_.back();
  if (input.data_offset) return ramet::InvalidArgument("an input has 'data' twice");
  input.data_offset = event.offset;
  data_.reset();
  const auto dtype = ParseOpenDatatype(input.datatype);
  if (!dtype.ok()) {
    places_.back() = Place::kSkip;
    value_end_.Add(event);
    return ramet::OkStatus();
  }
  input.elements.emplace(*dtype);
  data_.emplace(json_, max_elements_, &*input.elements);
  return AddToValue(event);
}

ramet::Status V2Reader::AddToValue(const JsonEvent& event) {
  bool done = false;
  if (places_.back() == Place::kData) {
    const ramet::Status status = data_->Add(event, &done);
    if (!status.ok()) return status.WithContext("input '" + inputs_.back().name + "'");
  } else {
    done = value_end_.Add(event);
  }
  if (done) places_.pop_back();
  return ramet::OkStatus();
}

ramet::Status V2Reader::AssignDim(const JsonEvent& event) {
  std::vector<int64_t>& shape = inputs_.back().shape;
  int64_t dim = 0;
  if (event.kind != EventKind::kNumber || !ParseDigits(event.text, &dim)) {
    return WrongField(event, "a list of whole numbers of 0 or more");
  }
  if (shape.size() >= kMaxRank) return WrongField(event, "fewer dimensions");
  shape.push_back(dim);
  return ramet::OkStatus();
}

ramet::Status V2Reader::AssignInput(const JsonEvent& event) {
  V2Input& input = inputs_.back();
  if (places_.back() == Place::kInputParameters) {
    if (key_ != "binary_data_size") return ramet::OkStatus();
    int64_t size = 0;
    if (event.kind != EventKind::kNumber || !ParseDigits(event.text, &size)) {
      return WrongField(event, "a number of bytes");
    }
    input.binary_bytes = size;
    return ramet::OkStatus();
  }
  if (key_ == "data") return WrongField(event, "a list");
  if (key_ == "shape") return WrongField(event, "a list of whole numbers of 0 or more");
  if (key_ != "name" && key_ != "datatype") return ramet::OkStatus();
  if (event.kind != EventKind::kString) return WrongField(event, "a string");
  (key_ == "name" ? input.name : input.datatype) = event.text;
  return ramet::OkStatus();
}

ramet::Status V2Reader::Assign(const JsonEvent& event) {
  const auto set_bool = [&](auto* to) {
    if (event.kind != EventKind::kBool) return WrongField(event, "true or false");
    *to = event.boolean;
    return ramet::OkStatus();
  };
  const auto set_string = [&](std::string* to) {
    if (event.kind != EventKind::kString) return WrongField(event, "a string");
    *to = event.text;
    return ramet::OkStatus();
  };
  switch (places_.back()) {
    case Place::kRequest:
      if (key_ == "inputs" || key_ == "outputs") return WrongField(event, "a list of objects");
      return key_ == "id" ? set_string(&request_.id) : ramet::OkStatus();
    case Place::kParameters:
      if (key_ == "binary_data_output") return set_bool(&request_.binary_output);
      if (key_ == "signature_name") return set_string(&request_.predict.signature_name);
      return ramet::OkStatus();
    case Place::kShape: return AssignDim(event);
    case Place::kInput:
    case Place::kInputParameters: return AssignInput(event);
    case Place::kOutput:
      return key_ == "name" ? set_string(&request_.outputs.back().name) : ramet::OkStatus();
    case Place::kOutputParameters:
      return key_ == "binary_data" ? set_bool(&request_.outputs.back().binary) : ramet::OkStatus();
    case Place::kInputs:
    case Place::kOutputs: return WrongField(event, "a list of objects");
    default: return ramet::InvalidArgument("the request must be a JSON object");
  }
}

ramet::Status V2Reader::Add(const JsonEvent& event) {
  if (places_.back() == Place::kData || places_.back() == Place::kSkip) return AddToValue(event);
  if (event.kind == EventKind::kKey) {
    key_ = event.text;
    return ramet::OkStatus();
  }
  if (event.IsStart()) return Open(event);
  if (!event.IsEnd()) return Assign(event);
  places_.pop_back();
  return ramet::OkStatus();
}

const ramet::Tensor* FindOutput(const NamedTensors& outputs, const std::string& name) {
  const auto found = std::ranges::find(outputs, name, &NamedTensors::value_type::first);
  return found == outputs.end() ? nullptr : &found->second;
}

// Returns the outputs of an answer in its order.
std::vector<V2Request::Output> OutputsOf(const V2Request& request, const NamedTensors& outputs) {
  if (!request.outputs.empty()) return request.outputs;
  std::vector<V2Request::Output> all;
  for (const auto& [name, tensor] : outputs) all.push_back({.name = name});
  return all;
}

// Writes one output. Binary values go to `binary`.
ramet::Status WriteOutput(const std::string& name, const ramet::Tensor& tensor, bool is_binary,
                          std::string* binary, JsonWriter* json) {
  json->StartObject().Key("name").String(name);
  json->Key("datatype").String(OpenDatatypeName(tensor.dtype())).Key("shape").StartArray();
  for (const int64_t dim : tensor.shape().dims()) json->Int(dim);
  json->EndArray();
  if (is_binary) {
    const size_t before = binary->size();
    RAMET_RETURN_IF_ERROR(AppendBinary(tensor, binary));
    json->Key("parameters").StartObject().Key("binary_data_size");
    json->Uint(binary->size() - before).EndObject();
  } else {
    RAMET_ASSIGN_OR_RETURN(const TensorWriter writer, TensorWriter::Make(tensor));
    std::string data;
    writer.WriteFlat(&data);
    json->Key("data").Raw(data);
  }
  json->EndObject();
  return ramet::OkStatus();
}

}  // namespace

ramet::StatusOr<V2Request> ReadV2Request(std::string_view body, std::string_view json_length,
                                         int64_t max_elements) {
  size_t json_bytes = body.size();
  if (!json_length.empty()) {
    int64_t length = 0;
    if (!ParseDigits(json_length, &length) || static_cast<uint64_t>(length) > body.size()) {
      return ramet::InvalidArgument("Inference-Header-Content-Length is '", json_length,
                                    "', but the body has ", body.size(), " bytes");
    }
    json_bytes = static_cast<size_t>(length);
  }
  const std::string_view json = body.substr(0, json_bytes);
  std::string_view binary = body.substr(json_bytes);
  V2Reader reader(json, max_elements);
  RAMET_RETURN_IF_ERROR(ReadJson(json, &reader));
  RAMET_RETURN_IF_ERROR(reader.status());
  V2Request request = std::move(reader.request());
  for (V2Input& input : reader.inputs()) {
    RAMET_ASSIGN_OR_RETURN(ramet::Tensor tensor, TakeV2Tensor(json, max_elements, &input, &binary));
    request.predict.inputs.emplace_back(input.name, std::move(tensor));
  }
  for (const V2Request::Output& output : request.outputs) {
    request.predict.output_filter.push_back(output.name);
  }
  return request;
}

ramet::Status WriteV2Answer(const std::string& model, const V2Request& request,
                            const PredictResponse& response, std::string* out,
                            std::optional<size_t>* json_bytes) {
  std::string binary;
  bool has_binary = false;
  JsonWriter json(out);
  json.StartObject().Key("model_name").String(model);
  json.Key("model_version").String(std::to_string(response.answered_by.version));
  if (!request.id.empty()) json.Key("id").String(request.id);
  json.Key("outputs").StartArray();
  for (const V2Request::Output& output : OutputsOf(request, response.outputs)) {
    const ramet::Tensor* const tensor = FindOutput(response.outputs, output.name);
    if (tensor == nullptr) return ramet::Internal("output '", output.name, "' was not computed");
    const bool is_binary = output.binary.value_or(request.binary_output);
    has_binary = has_binary || is_binary;
    RAMET_RETURN_IF_ERROR(WriteOutput(output.name, *tensor, is_binary, &binary, &json));
  }
  json.EndArray().EndObject();
  if (has_binary) *json_bytes = out->size();
  *out += binary;
  return ramet::OkStatus();
}

}  // namespace server
