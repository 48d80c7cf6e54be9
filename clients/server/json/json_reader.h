#pragma once

#include <ramet/ramet.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace server {

// A part of a JSON text.
struct JsonEvent {
  enum class Kind : uint8_t {
    kNull,
    kBool,
    kNumber,
    kString,
    kKey,
    kStartObject,
    kEndObject,
    kStartArray,
    kEndArray,
  };
  Kind kind = Kind::kNull;
  bool boolean = false;
  uint32_t count = 0;  // kEndArray: the number of elements
  // kNumber: as it is written; NaN, Inf and Infinity are numbers. kString, kKey: decoded. Valid
  // during the call.
  std::string_view text = {};
  // The end of the previous event. Spaces, commas and colons may be between it and this event.
  size_t offset = 0;

  bool IsStart() const { return kind == Kind::kStartObject || kind == Kind::kStartArray; }
  bool IsEnd() const { return kind == Kind::kEndObject || kind == Kind::kEndArray; }
};

// Receives the events of a JSON text.
class JsonHandler {
 public:
  virtual ~JsonHandler() = default;
  // Returns false to stop reading.
  virtual bool OnEvent(const JsonEvent& event) = 0;
};

// Text that is nested deeper is refused.
inline constexpr int kMaxJsonDepth = 512;

// Reads the first JSON value in `text` without recursion and without keeping it. Returns OK if the
// handler stops.
// \error kInvalidArgument: "JSON Parse error: ..." with the offset, also for deep nesting.
ramet::Status ReadJson(std::string_view text, JsonHandler* handler);

// Finds the end of a value whose events come one after another, to pass over it.
class ValueEnd {
 public:
  // Returns true if the value ends with this event.
  bool Add(const JsonEvent& event) {
    depth_ += event.IsStart() ? 1 : event.IsEnd() ? -1 : 0;
    return depth_ == 0 && event.kind != JsonEvent::Kind::kKey;
  }

 private:
  int depth_ = 0;
};

// Returns the first bytes of the value that begins at `offset` (JsonEvent::offset) for an error.
std::string QuoteValue(std::string_view json, size_t offset);
// Returns TensorFlow Serving's name for the type of a value: "Number", "Array" and so on.
std::string_view JsonTypeName(const JsonEvent& event);

}  // namespace server
