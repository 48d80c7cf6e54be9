#include "rest/predict_body.h"

#include <optional>
#include <utility>
#include <vector>

#include "json/json_reader.h"
#include "json/json_text.h"
#include "json/tensor_writer.h"
#include "rest/input_tensors.h"

namespace server {
namespace {

using Kind = JsonEvent::Kind;

// Reads the top level of a request, with the tensors of one signature.
class PredictBodyReader : public JsonHandler {
 public:
  // Without signatures, tensors are skipped. `name` is the signature if the text does not say.
  PredictBodyReader(std::string_view json, const Signatures* signatures, std::string name,
                    int64_t max_elements)
      : json_(json),
        signatures_(signatures),
        max_elements_(max_elements),
        used_name_(std::move(name)) {}

  bool OnEvent(const JsonEvent& event) override {
    switch (place_) {
      case Place::kStart: return Start(event);
      case Place::kTop: return AtTop(event);
      case Place::kSignatureName: return SetSignatureName(event);
      case Place::kInstances: return AddTo(&readers_->instances, event);
      case Place::kInputs: return AddTo(&readers_->inputs, event);
      default: return Skip(event);
    }
  }

  // An error of the JSON or of the top level, for every signature.
  const ramet::Status& error() const { return error_; }
  // The signature that the text names, or "serving_default".
  std::string signature_name() const {
    const bool named = signature_name_ && !signature_name_->empty();
    return named ? *signature_name_ : ramet::saved_model_keys::kDefaultServingSignature;
  }
  // The signature whose tensors have been read.
  const std::string& used_name() const { return used_name_; }
  ramet::StatusOr<PredictBody> Take();

 private:
  // The readers of both forms. Only one of them is used.
  struct Readers {
    Readers(const ramet::Signature& signature, std::string_view json, int64_t max_elements)
        : tensors(signature, json, max_elements) {}
    InputTensors tensors;
    InstancesReader instances = InstancesReader(&tensors);
    InputsReader inputs = InputsReader(&tensors);
    ramet::Status error = {};
  };
  enum class Place : uint8_t { kStart, kTop, kSignatureName, kInstances, kInputs, kSkip };

  bool Start(const JsonEvent& event) {
    if (event.kind != Kind::kStartObject) {
      error_ =
          ramet::InvalidArgument("JSON Value: ", QuoteValue(json_, event.offset), " Is not object");
      return false;
    }
    place_ = Place::kTop;
    return true;
  }

  bool AtTop(const JsonEvent& event) {
    if (event.kind == Kind::kEndObject) return true;
    place_ = Place::kSkip;
    skipped_ = {};
    if (event.text == "signature_name" && !signature_name_) {
      place_ = Place::kSignatureName;
    } else if (event.text == "instances" && !has_instances_) {
      has_instances_ = true;
      if (StartTensors()) place_ = Place::kInstances;
    } else if (event.text == "inputs" && !has_inputs_) {
      has_inputs_ = true;
      if (StartTensors()) place_ = Place::kInputs;
    }
    return true;
  }

  bool SetSignatureName(const JsonEvent& event) {
    signature_name_ = event.text;
    place_ = Place::kTop;
    if (event.kind == Kind::kString) return true;
    if (error_.ok()) {
      error_ = ramet::InvalidArgument("'signature_name' key must be a string value.");
    }
    signature_name_ = "";
    place_ = Place::kSkip;
    return Skip(event);
  }

  bool Skip(const JsonEvent& event) {
    if (skipped_.Add(event)) place_ = Place::kTop;
    return true;
  }

  // Returns false if the tensors are to be skipped.
  bool StartTensors() {
    if (signatures_ == nullptr || readers_) return false;
    if (signature_name_) used_name_ = signature_name();
    const auto signature = signatures_->find(used_name_);
    if (signature == signatures_->end()) return false;
    readers_.emplace(signature->second, json_, max_elements_);
    return true;
  }

  template <class Reader>
  bool AddTo(Reader* reader, const JsonEvent& event) {
    const bool ended = skipped_.Add(event);
    bool done = false;
    if (readers_->error.ok()) readers_->error = reader->Add(event, &done);
    if (ended) place_ = Place::kTop;
    return true;
  }

  const std::string_view json_;
  const Signatures* const signatures_;
  const int64_t max_elements_;
  std::string used_name_;
  std::optional<std::string> signature_name_ = {};
  Place place_ = Place::kStart;
  ValueEnd skipped_ = {};
  bool has_instances_ = false, has_inputs_ = false;
  std::optional<Readers> readers_ = {};
  ramet::Status error_ = {};
};

ramet::StatusOr<PredictBody> PredictBodyReader::Take() {
  if (!has_instances_ && !has_inputs_) {
    return ramet::InvalidArgument("Missing 'inputs' or 'instances' key");
  }
  if (has_instances_ && has_inputs_) {
    return ramet::InvalidArgument(
        "Not formatted correctly expecting only one of 'inputs' or 'instances' keys to exist");
  }
  RAMET_RETURN_IF_ERROR(readers_->error);
  PredictBody body;
  body.form = has_instances_ ? PredictForm::kRows : PredictForm::kColumns;
  body.request.signature_name = used_name_;
  auto tensors = has_instances_ ? readers_->instances.Take() : readers_->inputs.Take();
  RAMET_ASSIGN_OR_RETURN(body.request.inputs, std::move(tensors));
  return body;
}

ramet::Status Read(std::string_view json, PredictBodyReader* reader) {
  RAMET_RETURN_IF_ERROR(ReadJson(json, reader));
  return reader->error();
}

ramet::StatusOr<std::vector<TensorWriter>> MakeWriters(const NamedTensors& outputs) {
  std::vector<TensorWriter> writers;
  for (const auto& [name, tensor] : outputs) {
    const StringForm strings = name.ends_with("_bytes") ? StringForm::kBase64 : StringForm::kText;
    RAMET_ASSIGN_OR_RETURN(TensorWriter writer, TensorWriter::Make(tensor, strings));
    writers.push_back(std::move(writer));
  }
  return writers;
}

// Returns `"name":` for each output, after a comma or the bracket.
std::vector<std::string> Keys(const NamedTensors& outputs) {
  std::vector<std::string> keys;
  for (const auto& [name, tensor] : outputs) {
    std::string key(1, keys.empty() ? '{' : ',');
    AppendJsonString(name, &key);
    keys.push_back(key + ':');
  }
  return keys;
}

// Returns the dimension 0 of all outputs.
ramet::StatusOr<int64_t> CountRows(const NamedTensors& outputs) {
  int64_t rows = -1;
  for (const auto& [name, tensor] : outputs) {
    if (tensor.rank() == 0) {
      return ramet::InvalidArgument("Tensor name: ", name, " has no shape information");
    }
    if (rows >= 0 && tensor.dim(0) != rows) {
      return ramet::InvalidArgument("Tensor name: ", name,
                                    " has inconsistent batch size: ", tensor.dim(0),
                                    " expecting: ", rows);
    }
    rows = tensor.dim(0);
  }
  return std::max<int64_t>(rows, 0);
}

ramet::Status WriteRows(const NamedTensors& outputs, const std::vector<TensorWriter>& writers,
                        std::string* out) {
  RAMET_ASSIGN_OR_RETURN(const int64_t rows, CountRows(outputs));
  const std::vector<std::string> keys = Keys(outputs);
  *out += "{\"predictions\":[";
  for (int64_t row = 0; row < rows; ++row) {
    if (row > 0) *out += ',';
    if (writers.size() == 1) {
      writers[0].WriteRow(row, out);
      continue;
    }
    for (size_t i = 0; i < writers.size(); ++i) {
      *out += keys[i];
      writers[i].WriteRow(row, out);
    }
    *out += '}';
  }
  *out += "]}";
  return ramet::OkStatus();
}

void WriteColumns(const NamedTensors& outputs, const std::vector<TensorWriter>& writers,
                  std::string* out) {
  *out += "{\"outputs\":";
  if (writers.size() == 1) {
    writers[0].Write(out);
  } else {
    const std::vector<std::string> keys = Keys(outputs);
    if (keys.empty()) *out += '{';
    for (size_t i = 0; i < writers.size(); ++i) {
      *out += keys[i];
      writers[i].Write(out);
    }
    *out += '}';
  }
  *out += '}';
}

}  // namespace

ramet::StatusOr<PredictBody> ReadPredictBody(std::string_view json, const Signatures& signatures,
                                             int64_t max_elements) {
  std::string name = ramet::saved_model_keys::kDefaultServingSignature;
  while (true) {
    PredictBodyReader reader(json, &signatures, name, max_elements);
    RAMET_RETURN_IF_ERROR(Read(json, &reader));
    name = reader.signature_name();
    if (!signatures.contains(name)) {
      return ramet::InvalidArgument("Serving signature name: \"", name,
                                    "\" not found in signature def");
    }
    if (name == reader.used_name()) return reader.Take();
  }
}

ramet::Status CheckPredictBody(std::string_view json) {
  PredictBodyReader reader(json, nullptr, "", 0);
  return Read(json, &reader);
}

ramet::Status WritePredictAnswer(PredictForm form, const NamedTensors& outputs, std::string* out) {
  RAMET_ASSIGN_OR_RETURN(const std::vector<TensorWriter> writers, MakeWriters(outputs));
  if (form == PredictForm::kRows) return WriteRows(outputs, writers, out);
  WriteColumns(outputs, writers, out);
  return ramet::OkStatus();
}

}  // namespace server
