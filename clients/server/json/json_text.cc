#include "json/json_text.h"

#include <charconv>
#include <cmath>

namespace server {
namespace {

// Returns the size of the UTF-8 sequence at the start of `text`; 0 if the bytes are not UTF-8.
size_t SequenceBytes(std::string_view text) {
  const auto byte = [text](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return 0;
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  const bool bad = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                   (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
  return bad ? 0 : size;
}

bool IsPlain(char c) {
  return static_cast<unsigned char>(c) - 0x20u < 0x60u && c != '"' && c != '\\' && c != 0x7F;
}

void AppendEscaped(char c, std::string* out) {
  constexpr char kDigits[] = "0123456789abcdef";
  switch (c) {
    case '"': *out += "\\\""; return;
    case '\\': *out += "\\\\"; return;
    case '\n': *out += "\\n"; return;
    case '\r': *out += "\\r"; return;
    case '\t': *out += "\\t"; return;
    default: break;
  }
  *out += "\\u00";
  *out += kDigits[static_cast<unsigned char>(c) >> 4];
  *out += kDigits[static_cast<unsigned char>(c) & 15];
}

template <class T>
void AppendNumber(T value, std::string* out) {
  char text[32];
  out->append(text, std::to_chars(text, text + sizeof text, value).ptr);
}

}  // namespace

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const size_t size = SequenceBytes(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

void AppendJsonString(std::string_view text, std::string* out) {
  *out += '"';
  while (!text.empty()) {
    size_t plain = 0;
    while (plain < text.size() && IsPlain(text[plain])) ++plain;
    out->append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    const size_t size = SequenceBytes(text);
    if (size == 1) {
      AppendEscaped(text[0], out);
    } else if (size > 1) {
      out->append(text.substr(0, size));
    } else {
      *out += "\xEF\xBF\xBD";
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  *out += '"';
}

std::string ErrorBody(std::string_view text) {
  std::string body = "{\"error\": ";
  AppendJsonString(text, &body);
  body += '}';
  return body;
}

void JsonWriter::Separate() {
  if (after_key_) {
    after_key_ = false;
  } else if (!has_elements_.empty()) {
    if (has_elements_.back()) out_ += ',';
    has_elements_.back() = true;
  }
}

JsonWriter& JsonWriter::Open(char bracket) {
  Separate();
  out_ += bracket;
  has_elements_.push_back(false);
  return *this;
}

JsonWriter& JsonWriter::Close(char bracket) {
  has_elements_.pop_back();
  out_ += bracket;
  return *this;
}

JsonWriter& JsonWriter::Key(std::string_view key) {
  Separate();
  AppendJsonString(key, &out_);
  out_ += ':';
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::String(std::string_view value) {
  Separate();
  AppendJsonString(value, &out_);
  return *this;
}

JsonWriter& JsonWriter::Int(int64_t value) {
  Separate();
  AppendNumber(value, &out_);
  return *this;
}

JsonWriter& JsonWriter::Uint(uint64_t value) {
  Separate();
  AppendNumber(value, &out_);
  return *this;
}

JsonWriter& JsonWriter::Double(double value) {
  if (!std::isfinite(value)) return Raw("null");
  Separate();
  AppendNumber(value, &out_);
  return *this;
}

JsonWriter& JsonWriter::Bool(bool value) { return Raw(value ? "true" : "false"); }

JsonWriter& JsonWriter::Raw(std::string_view json) {
  Separate();
  out_ += json;
  return *this;
}

}  // namespace server
