#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace server {

// Reports whether `text` is UTF-8 without overlong forms and surrogates.
bool IsUtf8(std::string_view text);

// Appends a JSON string. Bytes that are not UTF-8 become U+FFFD.
void AppendJsonString(std::string_view text, std::string* out);

// Returns {"error": "text"}.
std::string ErrorBody(std::string_view text);

// A JsonWriter appends JSON to a text and places the commas. Calls must be in the order of valid
// JSON.
class JsonWriter {
 public:
  explicit JsonWriter(std::string* out) : out_(*out) {}

  JsonWriter& StartObject() { return Open('{'); }
  JsonWriter& EndObject() { return Close('}'); }
  JsonWriter& StartArray() { return Open('['); }
  JsonWriter& EndArray() { return Close(']'); }
  JsonWriter& Key(std::string_view key);
  JsonWriter& String(std::string_view value);
  JsonWriter& Int(int64_t value);
  JsonWriter& Uint(uint64_t value);
  // Infinities and NaN become null.
  JsonWriter& Double(double value);
  JsonWriter& Bool(bool value);
  // Appends a value that is JSON already.
  JsonWriter& Raw(std::string_view json);

 private:
  JsonWriter& Open(char bracket);
  JsonWriter& Close(char bracket);
  // Appends the comma before a value or key.
  void Separate();

  std::string& out_;
  std::vector<bool> has_elements_ = {};  // of each open array and object
  bool after_key_ = false;
};

}  // namespace server
