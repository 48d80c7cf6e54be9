#pragma once

#include <ramet/ramet.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace server {

// An ExampleWriter makes serialized tensorflow.Example messages, one feature after another.
class ExampleWriter {
 public:
  void StartFeature(std::string_view name);
  // Add a value to the feature. All values of a feature have one kind.
  // \error kInvalidArgument: the feature has values of a different kind.
  ramet::Status AddInt(int64_t value);
  ramet::Status AddFloat(float value);
  ramet::Status AddBytes(std::string_view value);
  void EndFeature();
  const std::string& feature() const { return name_; }
  // Returns the example of the features so far, and starts a new one.
  std::string TakeExample();

 private:
  enum class Kind : uint8_t { kNone = 0, kBytes = 1, kFloat = 2, kInt64 = 3 };  // field numbers
  ramet::Status SetKind(Kind kind);

  std::string features_;  // the entries of Features.feature
  std::string name_;
  Kind kind_ = Kind::kNone;
  std::string values_;  // of the list of the feature
};

}  // namespace server
