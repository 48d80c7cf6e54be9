#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ramet/base/coding.h"

// Protocol buffers' wire format, field by field, for messages that are too many or too large to
// hold as objects (https://protobuf.dev/programming-guides/encoding).
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
  std::string_view bytes;  // the content of a kBytes field, otherwise empty
  std::string_view whole;  // the field with its tag
  bool Is(uint32_t n) const { return number == n && type == WireType::kBytes; }
};

// Removes a field from the front of `*rest`. Returns false if there is no complete, valid field, or
// groups are nested more than 100 deep; `*rest` and `*field` are then unspecified.
bool TakeField(std::string_view* rest, WireField* field);

// Appends the tag and length that precede the content of a field of `size` bytes.
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
