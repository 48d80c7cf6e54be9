#include "rest/input_tensors.h"

#include <utility>

namespace server {

using Kind = JsonEvent::Kind;

InputTensors::InputTensors(const ramet::Signature& signature, std::string_view json,
                           int64_t max_elements)
    : json_(json) {
  inputs_.reserve(signature.inputs.size());
  for (const auto& [name, tensor] : signature.inputs) {
    inputs_.push_back(
        {name, signature.defaults.contains(name), TensorReader(json, tensor.dtype, max_elements)});
  }
}

size_t InputTensors::Find(std::string_view name, size_t likely) const {
  if (likely < inputs_.size() && inputs_[likely].name == name) return likely;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i].name == name) return i;
  }
  return inputs_.size();
}

bool InputTensors::IsValueKey(const JsonEvent& key) const {
  return key.kind == Kind::kKey && key.text == "b64" && Find(key.text, 0) == size();
}

std::string InputTensors::Names() const {
  std::string names;
  for (const Input& input : inputs_) names += (names.empty() ? "" : ",") + input.name;
  return names;
}

ramet::Status InstancesReader::Add(const JsonEvent& event, bool* done) {
  *done = false;
  switch (state_) {
    case State::kList:
      if (event.kind != Kind::kStartArray) {
        return ramet::InvalidArgument("Expecting 'instances' to be an list/array");
      }
      state_ = State::kItem;
      return ramet::OkStatus();
    case State::kItem:
      *done = event.kind == Kind::kEndArray;
      return *done ? ramet::OkStatus() : StartItem(event);
    case State::kFirstKey: {
      if (!inputs_.IsValueKey(event)) {
        RAMET_RETURN_IF_ERROR(SetForm(Form::kObjects));
        state_ = State::kObject;
        return AddToObject(event);
      }
      RAMET_RETURN_IF_ERROR(SetForm(Form::kValues));
      state_ = State::kValue;
      RAMET_RETURN_IF_ERROR(AddToValue({.kind = Kind::kStartObject, .offset = offset_}));
      return AddToValue(event);
    }
    case State::kValue: return AddToValue(event);
    case State::kObject: return AddToObject(event);
    default: return AddToField(event);
  }
}

ramet::Status InstancesReader::StartItem(const JsonEvent& event) {
  offset_ = event.offset;
  fields_ = 0;
  if (event.kind == Kind::kStartObject) {
    state_ = State::kFirstKey;
    return ramet::OkStatus();
  }
  RAMET_RETURN_IF_ERROR(SetForm(Form::kValues));
  state_ = State::kValue;
  return AddToValue(event);
}

ramet::Status InstancesReader::SetForm(Form form) {
  if (form_ == Form::kUnknown && form == Form::kValues && inputs_.size() != 1) {
    return ramet::InvalidArgument(
        "instances is a plain list, but expecting list of objects as multiple input tensors "
        "required as per tensorinfo_map; the inputs are: ",
        inputs_.Names());
  }
  if (form_ != Form::kUnknown && form_ != form) {
    const bool objects = form_ == Form::kObjects;
    return ramet::InvalidArgument(objects ? "Expecting object but got list at item "
                                          : "Expecting value/list but got object at item ",
                                  item_, " of input list");
  }
  form_ = form;
  return ramet::OkStatus();
}

ramet::Status InstancesReader::InItem(const ramet::Status& status) const {
  if (status.ok()) return status;
  return ramet::InvalidArgument("Failed to process element: ", item_,
                                " of 'instances' list. Error: ", status.ToString());
}

ramet::Status InstancesReader::InField(const ramet::Status& status) const {
  if (status.ok()) return status;
  return ramet::InvalidArgument("Failed to process element: ", item_, " key: ",
                                field_ < inputs_.size() ? inputs_[field_].name : unknown_key_,
                                " of 'instances' list. Error: ", status.ToString());
}

ramet::Status InstancesReader::AddToValue(const JsonEvent& event) {
  bool ended = false;
  TensorReader& reader = inputs_[0].reader;
  RAMET_RETURN_IF_ERROR(InItem(reader.Add(event, &ended)));
  if (!ended) return ramet::OkStatus();
  RAMET_RETURN_IF_ERROR(InItem(reader.EndRow()));
  inputs_[0].given = true;
  ++item_;
  state_ = State::kItem;
  return ramet::OkStatus();
}

ramet::Status InstancesReader::AddToObject(const JsonEvent& event) {
  return event.kind == Kind::kKey ? StartField(event) : EndObject();
}

ramet::Status InstancesReader::StartField(const JsonEvent& key) {
  field_ = inputs_.Find(key.text, fields_);
  if (field_ == inputs_.size()) {
    unknown_key_ = key.text;
    return InField(ramet::InvalidArgument("JSON object: does not have named input: ", key.text));
  }
  InputTensors::Input& input = inputs_[field_];
  if (item_ == 0 ? input.given : !input.given) return WrongKeys();
  input.given = true;
  ++fields_;
  state_ = State::kField;
  return ramet::OkStatus();
}

ramet::Status InstancesReader::AddToField(const JsonEvent& event) {
  bool ended = false;
  TensorReader& reader = inputs_[field_].reader;
  RAMET_RETURN_IF_ERROR(InField(reader.Add(event, &ended)));
  if (!ended) return ramet::OkStatus();
  state_ = State::kObject;
  return InField(reader.EndRow());
}

ramet::Status InstancesReader::WrongKeys() const {
  return ramet::InvalidArgument(
      "Failed to process element: ", item_,
      " of 'instances' list. JSON object: ", QuoteValue(inputs_.json(), offset_),
      " keys must be equal to: ", inputs_.Names());
}

ramet::Status InstancesReader::EndObject() {
  if (item_ == 0) {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (!inputs_[i].given && !inputs_[i].has_default) return WrongKeys();
    }
    fields_of_first_ = fields_;
  }
  if (fields_ != fields_of_first_) return WrongKeys();
  for (size_t i = 0; i < inputs_.size(); ++i) {
    // A key that comes twice takes the place of another one.
    if (inputs_[i].given && inputs_[i].reader.rows() != item_ + 1) return WrongKeys();
  }
  ++item_;
  state_ = State::kItem;
  return ramet::OkStatus();
}

ramet::StatusOr<NamedTensors> InstancesReader::Take() {
  if (item_ == 0) return ramet::InvalidArgument("No values in 'instances' array");
  NamedTensors tensors;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (!inputs_[i].given) continue;
    RAMET_ASSIGN_OR_RETURN(ramet::Tensor tensor, inputs_[i].reader.TakeRows());
    tensors.emplace_back(inputs_[i].name, std::move(tensor));
  }
  return tensors;
}

ramet::Status InputsReader::StartValue() {
  if (inputs_.size() != 1) {
    return ramet::InvalidArgument(
        "inputs is a plain value/list, but expecting an object as multiple input tensors required "
        "as per tensorinfo_map; the inputs are: ",
        inputs_.Names());
  }
  inputs_[0].given = true;
  state_ = State::kValue;
  return ramet::OkStatus();
}

ramet::Status InputsReader::Add(const JsonEvent& event, bool* done) {
  *done = false;
  switch (state_) {
    case State::kStart:
      offset_ = event.offset;
      if (event.kind == Kind::kStartObject) {
        state_ = State::kFirstKey;
        return ramet::OkStatus();
      }
      RAMET_RETURN_IF_ERROR(StartValue());
      return inputs_[0].reader.Add(event, done);
    case State::kFirstKey:
      if (inputs_.IsValueKey(event)) {
        RAMET_RETURN_IF_ERROR(StartValue());
        RAMET_RETURN_IF_ERROR(
            inputs_[0].reader.Add({.kind = Kind::kStartObject, .offset = offset_}, done));
        return inputs_[0].reader.Add(event, done);
      }
      state_ = State::kObject;
      return AddToObject(event, done);
    case State::kValue: return inputs_[0].reader.Add(event, done);
    case State::kObject: return AddToObject(event, done);
    case State::kSkip:
      if (skipped_.Add(event)) state_ = State::kObject;
      return ramet::OkStatus();
    default: break;
  }
  bool ended = false;
  RAMET_RETURN_IF_ERROR(inputs_[field_].reader.Add(event, &ended));
  if (ended) state_ = State::kObject;
  return ramet::OkStatus();
}

ramet::Status InputsReader::AddToObject(const JsonEvent& event, bool* done) {
  if (event.kind == Kind::kEndObject) {
    *done = true;
    return ramet::OkStatus();
  }
  field_ = inputs_.Find(event.text, field_ + 1);
  const bool wanted = field_ < inputs_.size() && !inputs_[field_].given;
  if (wanted) inputs_[field_].given = true;
  skipped_ = {};
  state_ = wanted ? State::kField : State::kSkip;
  return ramet::OkStatus();
}

ramet::StatusOr<NamedTensors> InputsReader::Take() {
  NamedTensors tensors;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    InputTensors::Input& input = inputs_[i];
    if (!input.given && input.has_default) continue;
    if (!input.given) {
      return ramet::InvalidArgument("Missing named input: ", input.name, " in 'inputs' object.");
    }
    RAMET_ASSIGN_OR_RETURN(ramet::Tensor tensor, input.reader.TakeValue());
    tensors.emplace_back(input.name, std::move(tensor));
  }
  return tensors;
}

}  // namespace server
