#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ramet/base/coding.h"

// Protocol buffers' wire form, field by field, for messages that are too many or too large to be
// held as messages (https://protobuf.dev/programming-guides/encoding).
namespace ramet {

enum class WireType : uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kStartGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5,
};

// One field of a message. Borrows the message's bytes.
struct WireField {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  std::string_view bytes;  // the content of a kBytes field; else empty
  std::string_view whole;  // the field with its tag
  bool Is(uint32_t n) const { return number == n && type == WireType::kBytes; }
};

// Takes a field off the front of `*rest`. False if there is no whole, legal field, or one of groups
// nested more than 100 deep; then `*rest` and `*field` are unspecified.
bool TakeField(std::string_view* rest, WireField* field);

// Appends what stands before the content of a field of `size` bytes.
inline void AppendBytesHead(std::string* out, uint32_t number, size_t size) {
  AppendVarint64(out, uint64_t{number} << 3 | static_cast<uint64_t>(WireType::kBytes));
  AppendVarint64(out, size);
}
// Appends a field of bytes.
inline void AppendBytesField(std::string* out, uint32_t number, std::string_view bytes) {
  AppendBytesHead(out, number, bytes.size());
  out->append(bytes);
}

}  // namespace ramet
