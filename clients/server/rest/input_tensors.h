#pragma once

#include <ramet/ramet.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "inference/predict.h"
#include "json/json_reader.h"
#include "json/tensor_reader.h"

namespace server {

// The inputs of a signature, each with the reader of its tensor, in the order of the names.
class InputTensors {
 public:
  // `json` is the text that is read. A tensor may have `max_elements`.
  InputTensors(const ramet::Signature& signature, std::string_view json, int64_t max_elements);

  struct Input {
    std::string name;
    bool has_default;
    TensorReader reader;
    bool given = false;
  };
  size_t size() const { return inputs_.size(); }
  Input& operator[](size_t i) { return inputs_[i]; }
  std::string_view json() const { return json_; }
  // Returns the index of a name, or size() for an unknown name. `likely` is tried first.
  size_t Find(std::string_view name, size_t likely) const;
  // Reports whether an object whose first key is `key` is a value, {"b64": "..."}, and not an
  // object of named inputs.
  bool IsValueKey(const JsonEvent& key) const;
  // Returns the names, joined with commas.
  std::string Names() const;

 private:
  const std::string_view json_;
  std::vector<Input> inputs_;
};

// Reads `instances`: a list with one entry per row, each the value of the only input or an object
// with the values of all inputs.
class InstancesReader {
 public:
  explicit InstancesReader(InputTensors* inputs) : inputs_(*inputs) {}
  // Consumes the next event of the list. `*done` says whether the list ends with it.
  // \error kInvalidArgument: with TensorFlow Serving's texts.
  ramet::Status Add(const JsonEvent& event, bool* done);
  ramet::StatusOr<NamedTensors> Take();

 private:
  enum class State : uint8_t { kList, kItem, kFirstKey, kValue, kObject, kField };
  enum class Form : uint8_t { kUnknown, kValues, kObjects };

  ramet::Status StartItem(const JsonEvent& event);
  ramet::Status SetForm(Form form);
  ramet::Status AddToValue(const JsonEvent& event);
  ramet::Status AddToObject(const JsonEvent& event);
  ramet::Status AddToField(const JsonEvent& event);
  ramet::Status StartField(const JsonEvent& key);
  ramet::Status EndObject();
  ramet::Status WrongKeys() const;
  ramet::Status InItem(const ramet::Status& status) const;
  ramet::Status InField(const ramet::Status& status) const;

  InputTensors& inputs_;
  State state_ = State::kList;
  Form form_ = Form::kUnknown;
  int64_t item_ = 0;
  size_t field_ = 0;
  std::string unknown_key_ = {};
  size_t fields_ = 0;           // of this object
  size_t fields_of_first_ = 0;  // of the first object
  size_t offset_ = 0;           // of this object
};

// Reads `inputs`: the tensor of the only input, or an object with the tensors of all inputs.
class InputsReader {
 public:
  explicit InputsReader(InputTensors* inputs) : inputs_(*inputs) {}
  // Consumes the next event of the value. `*done` says whether the value ends with it.
  // \error kInvalidArgument: with TensorFlow Serving's texts.
  ramet::Status Add(const JsonEvent& event, bool* done);
  ramet::StatusOr<NamedTensors> Take();

 private:
  enum class State : uint8_t { kStart, kFirstKey, kValue, kObject, kField, kSkip };

  ramet::Status StartValue();
  ramet::Status AddToObject(const JsonEvent& event, bool* done);

  InputTensors& inputs_;
  State state_ = State::kStart;
  size_t field_ = 0;
  size_t offset_ = 0;
  ValueEnd skipped_ = {};
};

}  // namespace server
