#include "proto/predict_messages.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include "proto/model_messages.h"

namespace server {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

constexpr uint32_t BytesTag(int number) {
  return WireFormatLite::MakeTag(number, WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
}

CodedInputStream StreamOf(std::string_view bytes) {
  return CodedInputStream(reinterpret_cast<const uint8_t*>(bytes.data()),
                          static_cast<int>(bytes.size()));
}

// Reads the length of a field and its bytes, without a copy.
bool ReadBytes(CodedInputStream& stream, std::string_view* bytes) {
  uint32_t size = 0;
  const void* data = nullptr;
  int available = 0;
  if (!stream.ReadVarint32(&size) || size > INT_MAX) return false;
  *bytes = {};
  if (size == 0) return true;
  if (!stream.GetDirectBufferPointer(&data, &available)) return false;
  *bytes = {static_cast<const char*>(data), size};
  return static_cast<uint32_t>(available) >= size && stream.Skip(static_cast<int>(size));
}

// Calls `field(tag, stream)` for each field. It returns false for one that cannot be read.
template <class Field>
bool ForEachField(std::string_view bytes, const Field& field) {
  if (bytes.size() > INT_MAX) return false;
  CodedInputStream stream = StreamOf(bytes);
  while (const uint32_t tag = stream.ReadTag()) {
    if (!field(tag, stream)) return false;
  }
  return stream.ConsumedEntireMessage();
}

bool ReadInput(std::string_view entry, PredictMessage* out) {
  std::string_view key, value;
  const bool ok = ForEachField(entry, [&](uint32_t tag, CodedInputStream& stream) {
    if (tag == BytesTag(1)) return ReadBytes(stream, &key);
    if (tag == BytesTag(2)) return ReadBytes(stream, &value);
    return WireFormatLite::SkipField(&stream, tag);
  });
  out->inputs[key] = value;
  return ok;
}

bool ReadPredictField(uint32_t tag, CodedInputStream& stream, PredictMessage* out) {
  std::string_view bytes;
  switch (tag) {
    case BytesTag(1): {
      tensorflow::serving::ModelSpec spec;
      if (!ReadBytes(stream, &bytes)) return false;
      if (!spec.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return false;
      out->spec = FromMessage(spec);
      return true;
    }
    case BytesTag(2): return ReadBytes(stream, &bytes) && ReadInput(bytes, out);
    case BytesTag(3):
      if (!ReadBytes(stream, &bytes)) return false;
      out->output_filter.emplace_back(bytes);
      return true;
    default: return WireFormatLite::SkipField(&stream, tag);
  }
}

// Appends an entry of a map from a name to a tensor.
void AppendEntry(uint32_t field, std::string_view name, const TensorMessage& tensor, Pieces* out) {
  AppendBytesHead(field, BytesFieldSize(1, name.size()) + BytesFieldSize(2, tensor.size()),
                  out->bytes());
  AppendBytesField(1, name, out->bytes());
  AppendBytesHead(2, tensor.size(), out->bytes());
  AppendTensor(tensor, out);
}

ramet::Status AppendTensors(uint32_t field, const NamedTensors& tensors, TensorForm form,
                            Pieces* out) {
  for (const auto& [name, tensor] : tensors) {
    auto message = WriteTensor(tensor, form);
    if (!message.ok()) return message.status().WithContext(ramet::StrCat("'", name, "'"));
    AppendEntry(field, name, *message, out);
  }
  return ramet::OkStatus();
}

}  // namespace

ramet::StatusOr<PredictMessage> ParsePredict(std::string_view bytes) {
  PredictMessage message;
  const bool ok = ForEachField(bytes, [&](uint32_t tag, CodedInputStream& stream) {
    return ReadPredictField(tag, stream, &message);
  });
  if (ok) return message;
  return ramet::InvalidArgument("the request's ", bytes.size(),
                                " bytes are not a message tensorflow.serving.PredictRequest");
}

ramet::StatusOr<PredictRequest> PredictRequestOf(const PredictMessage& message) {
  PredictRequest request;
  if (message.spec) request.signature_name = message.spec->signature_name;
  request.output_filter = message.output_filter;
  request.inputs.reserve(message.inputs.size());
  for (const auto& [name, bytes] : message.inputs) {
    auto tensor = ramet::TensorFromProtoBytes(bytes);
    if (!tensor.ok()) {
      return ramet::InvalidArgument("tensor parsing error: ", name, "\n",
                                    tensor.status().message());
    }
    request.inputs.emplace_back(name, *std::move(tensor));
  }
  return request;
}

ramet::StatusOr<Pieces> WritePredictResponse(const ModelVersion& version,
                                             const PredictResponse& response, TensorForm form) {
  Pieces out;
  AppendBytesField(2, ModelSpecMessage(version, response.signature_name).SerializeAsString(),
                   out.bytes());
  RAMET_RETURN_IF_ERROR(AppendTensors(1, response.outputs, form, &out));
  return out;
}

ramet::StatusOr<Pieces> WritePredictRequest(const ModelSpec& spec, const PredictRequest& request) {
  Pieces out;
  AppendBytesField(1, ModelSpecMessage(spec, request.signature_name).SerializeAsString(),
                   out.bytes());
  RAMET_RETURN_IF_ERROR(AppendTensors(2, request.inputs, TensorForm::kContent, &out));
  for (const std::string& name : request.output_filter) AppendBytesField(3, name, out.bytes());
  return out;
}

}  // namespace server
