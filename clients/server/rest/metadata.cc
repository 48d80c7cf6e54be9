#include "rest/metadata.h"

#include <cctype>

#include "json/base64.h"
#include "json/json_text.h"

namespace server {
namespace {

// Returns the name of an enumerator of tensorflow.DataType, such as "DT_FLOAT".
std::string DataTypeName(ramet::DType dtype) {
  std::string name = "DT_" + ramet::DTypeName(dtype);
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

void WriteShape(const ramet::Shape& shape, JsonWriter* json) {
  json->StartObject().Key("dim").StartArray();
  for (const int64_t dim : shape.dims()) {
    json->StartObject().Key("size").String(std::to_string(dim)).Key("name").String("").EndObject();
  }
  json->EndArray().Key("unknown_rank").Bool(shape.unknown_rank()).EndObject();
}

void WriteTensorInfo(const ramet::SignatureTensor& tensor, JsonWriter* json) {
  json->StartObject();
  if (tensor.sparse) {
    json->Key("coo_sparse").StartObject();
    json->Key("values_tensor_name").String(tensor.sparse->values_tensor_name);
    json->Key("indices_tensor_name").String(tensor.sparse->indices_tensor_name);
    json->Key("dense_shape_tensor_name").String(tensor.sparse->dense_shape_tensor_name);
    json->EndObject();
  } else if (tensor.composite.empty()) {
    json->Key("name").String(tensor.name);
  }
  json->Key("dtype").String(DataTypeName(tensor.dtype)).Key("tensor_shape");
  WriteShape(tensor.shape, json);
  json->EndObject();
}

// Writes the fields of a TensorProto that have the value.
void WriteTensorProto(const ramet::Tensor& tensor, JsonWriter* json) {
  json->StartObject().Key("dtype").String(DataTypeName(tensor.dtype())).Key("tensor_shape");
  WriteShape(tensor.shape(), json);
  const auto base64 = [](std::string_view bytes) {
    std::string text;
    AppendBase64(bytes, &text);
    return text;
  };
  if (tensor.dtype() == ramet::kString) {
    json->Key("string_val").StartArray();
    for (const std::string& value : tensor.flat<std::string>()) json->String(base64(value));
    json->EndArray();
  } else {
    const std::string_view bytes(static_cast<const char*>(tensor.raw_data()), tensor.bytes());
    json->Key("tensor_content").String(base64(bytes));
  }
  json->EndObject();
}

void WriteSignature(const ramet::Signature& signature, JsonWriter* json) {
  json->StartObject();
  for (const auto& [key, tensors] :
       {std::pair("inputs", &signature.inputs), std::pair("outputs", &signature.outputs)}) {
    json->Key(key).StartObject();
    for (const auto& [name, tensor] : *tensors) {
      json->Key(name);
      WriteTensorInfo(tensor, json);
    }
    json->EndObject();
  }
  json->Key("method_name").String(signature.method_name).Key("defaults").StartObject();
  for (const auto& [name, tensor] : signature.defaults) {
    json->Key(name);
    WriteTensorProto(tensor, json);
  }
  json->EndObject().EndObject();
}

void WriteVersion(const VersionStatus& version, JsonWriter* json) {
  json->StartObject().Key("version").String(std::to_string(version.version));
  json->Key("state").String(StateName(version.state)).Key("status").StartObject();
  json->Key("error_code").String(ramet::CodeName(version.status.code()));
  json->Key("error_message").String(version.status.message()).EndObject().EndObject();
}

void WriteVersions(const std::vector<VersionStatus>& versions, JsonWriter* json) {
  json->Key("model_version_status").StartArray();
  for (const VersionStatus& version : versions) WriteVersion(version, json);
  json->EndArray();
}

}  // namespace

std::string_view StateName(VersionState state) {
  switch (state) {
    case VersionState::kStart: return "START";
    case VersionState::kLoading: return "LOADING";
    case VersionState::kAvailable: return "AVAILABLE";
    case VersionState::kUnloading: return "UNLOADING";
    case VersionState::kEnd: return "END";
    default: return "UNKNOWN";
  }
}

void WriteMetadata(const std::string& model, int64_t version, const Signatures& signatures,
                   std::string* out) {
  JsonWriter json(out);
  json.StartObject().Key("model_spec").StartObject();
  json.Key("name").String(model).Key("signature_name").String("");
  json.Key("version").String(std::to_string(version)).EndObject();
  json.Key("metadata").StartObject().Key("signature_def").StartObject();
  json.Key("signature_def").StartObject();
  for (const auto& [name, signature] : signatures) {
    json.Key(name);
    WriteSignature(signature, &json);
  }
  json.EndObject().EndObject().EndObject().EndObject();
}

void WriteStatus(const std::vector<VersionStatus>& versions, std::string* out) {
  JsonWriter json(out);
  json.StartObject();
  WriteVersions(versions, &json);
  json.EndObject();
}

void WriteModels(const std::vector<ModelReport>& reports, std::string* out) {
  JsonWriter json(out);
  json.StartObject().Key("models").StartArray();
  for (const ModelReport& report : reports) {
    json.StartObject().Key("name").String(report.name);
    json.Key("labels").StartObject();
    for (const auto& [label, version] : report.labels) {
      json.Key(label).String(std::to_string(version));
    }
    json.EndObject();
    WriteVersions(report.versions, &json);
    json.EndObject();
  }
  json.EndArray().EndObject();
}

}  // namespace server
