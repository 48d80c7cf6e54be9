#include "json/json_reader.h"

// Failed assertions of RapidJSON must not end the process; the reader has none that input reaches.
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

namespace server {
namespace {

namespace rj = rapidjson;
using Kind = JsonEvent::Kind;

// The input of a reader that parses "in situ": numbers are not copied, and decoded strings go to a
// buffer of the stream instead of over the text.
class Input {
 public:
  using Ch = char;

  explicit Input(std::string_view text) : text_(text), next_(text.data()) {}
  Ch Peek() const { return next_ == text_.data() + text_.size() ? '\0' : *next_; }
  Ch Take() { return next_ == text_.data() + text_.size() ? '\0' : *next_++; }
  size_t Tell() const { return static_cast<size_t>(next_ - text_.data()); }
  Ch* PutBegin() {
    decoded_.clear();
    return decoded_.data();
  }
  void Put(Ch c) { decoded_.push_back(c); }
  size_t PutEnd(Ch*) { return decoded_.size(); }
  Ch* Push(size_t count) {
    decoded_.resize(decoded_.size() + count);
    return decoded_.data() + decoded_.size() - count;
  }
  void Pop(size_t count) { decoded_.resize(decoded_.size() - count); }
  void Flush() {}
  std::string_view decoded(size_t size) const { return std::string_view(decoded_).substr(0, size); }
  // Returns the text before the current position.
  std::string_view Before(size_t size) const { return {next_ - size, size}; }

 private:
  const std::string_view text_;
  const char* next_;
  std::string decoded_;
};

// Passes the events of RapidJSON to a JsonHandler.
class Adapter {
 public:
  using Ch = char;

  Adapter(const Input& stream, JsonHandler* handler) : stream_(stream), handler_(*handler) {}

  bool too_deep() const { return too_deep_; }

  bool Null() { return Send({.kind = Kind::kNull}); }
  bool Bool(bool value) { return Send({.kind = Kind::kBool, .boolean = value}); }
  bool RawNumber(const char*, rj::SizeType size, bool) {
    return Send({.kind = Kind::kNumber, .text = stream_.Before(size)});
  }
  bool String(const char*, rj::SizeType size, bool) {
    return Send({.kind = Kind::kString, .text = stream_.decoded(size)});
  }
  bool Key(const char*, rj::SizeType size, bool) {
    return Send({.kind = Kind::kKey, .text = stream_.decoded(size)});
  }
  bool StartObject() { return Open() && Send({.kind = Kind::kStartObject}); }
  bool EndObject(rj::SizeType count) { return Close(Kind::kEndObject, count); }
  bool StartArray() { return Open() && Send({.kind = Kind::kStartArray}); }
  bool EndArray(rj::SizeType count) { return Close(Kind::kEndArray, count); }
  // The reader does not use these, because it passes numbers as text.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(int64_t) { return false; }
  bool Uint64(uint64_t) { return false; }
  bool Double(double) { return false; }

 private:
  // The reader takes a bracket after it has sent its event.
  bool Send(JsonEvent event) {
    event.offset = end_;
    end_ = stream_.Tell() + (event.IsStart() || event.IsEnd() ? 1 : 0);
    return handler_.OnEvent(event);
  }
  bool Open() {
    too_deep_ = ++depth_ > kMaxJsonDepth;
    return !too_deep_;
  }
  bool Close(Kind kind, rj::SizeType count) {
    --depth_;
    return Send({.kind = kind, .count = count});
  }

  const Input& stream_;
  JsonHandler& handler_;
  size_t end_ = 0;
  int depth_ = 0;
  bool too_deep_ = false;
};

constexpr unsigned kFlags = rj::kParseIterativeFlag | rj::kParseNanAndInfFlag |
                            rj::kParseStopWhenDoneFlag | rj::kParseNumbersAsStringsFlag |
                            rj::kParseInsituFlag;
constexpr size_t kMaxQuotedBytes = 256;

}  // namespace

ramet::Status ReadJson(std::string_view text, JsonHandler* handler) {
  if (text.empty()) return ramet::InvalidArgument("JSON Parse error: The document is empty");
  Input stream(text);
  Adapter adapter(stream, handler);
  rj::Reader reader;
  const rj::ParseResult result = reader.Parse<kFlags>(stream, adapter);
  if (adapter.too_deep()) {
    return ramet::InvalidArgument("JSON Parse error: The value is nested more than ", kMaxJsonDepth,
                                  " levels deep at offset: ", stream.Tell());
  }
  if (!result.IsError() || result.Code() == rj::kParseErrorTermination) return ramet::OkStatus();
  return ramet::InvalidArgument("JSON Parse error: ", rj::GetParseError_En(result.Code()),
                                " at offset: ", result.Offset());
}

std::string QuoteValue(std::string_view json, size_t offset) {
  offset = json.find_first_not_of(" \t\r\n,:", offset);
  if (offset == std::string_view::npos) return "";
  const std::string_view text = json.substr(offset, kMaxQuotedBytes);
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string && c == '\\') {
      ++i;
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string && (c == '[' || c == '{')) {
      ++depth;
    } else if (!in_string && (c == ']' || c == '}') && depth > 0) {
      --depth;
    } else if (in_string || depth > 0) {
      continue;
    } else if (c == ',' || c == ']' || c == '}' || c == ' ' || c == '\n' || c == '\r') {
      return std::string(text.substr(0, i));
    }
    if (depth == 0 && !in_string && (c == '"' || c == ']' || c == '}')) {
      return std::string(text.substr(0, i + 1));
    }
  }
  return std::string(text);
}

std::string_view JsonTypeName(const JsonEvent& event) {
  switch (event.kind) {
    case Kind::kNull: return "Null";
    case Kind::kBool: return event.boolean ? "True" : "False";
    case Kind::kNumber: return "Number";
    case Kind::kString:
    case Kind::kKey: return "String";
    case Kind::kStartObject:
    case Kind::kEndObject: return "Object";
    default: return "Array";
  }
}

}  // namespace server
