#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

// Number encodings of TensorFlow's files: protobuf varints (7 bits per byte, low group first) and
// little-endian fixed-width integers.
namespace ramet {

inline constexpr int kMaxVarint64Bytes = 10;

inline void AppendVarint64(std::string* out, uint64_t value) {
  while (value >= 0x80) {
    out->push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out->push_back(static_cast<char>(value));
}

inline void AppendFixed32(std::string* out, uint32_t value) {
  for (int i = 0; i < 4; ++i) out->push_back(static_cast<char>(value >> (8 * i)));
}

inline void AppendFixed64(std::string* out, uint64_t value) {
  AppendFixed32(out, static_cast<uint32_t>(value));
  AppendFixed32(out, static_cast<uint32_t>(value >> 32));
}

inline uint32_t DecodeFixed32(const char* p) {
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value |= uint32_t{static_cast<uint8_t>(p[i])} << (8 * i);
  return value;
}

inline uint64_t DecodeFixed64(const char* p) {
  return DecodeFixed32(p) | uint64_t{DecodeFixed32(p + 4)} << 32;
}

// Removes a number from the front of *bytes. Returns false if the bytes end within it or it has
// more than 64 bits; *bytes is then unspecified.
inline bool TakeVarint64(std::string_view* bytes, uint64_t* value) {
  *value = 0;
  for (int shift = 0; shift < 64 && !bytes->empty(); shift += 7) {
    const uint8_t byte = static_cast<uint8_t>(bytes->front());
    bytes->remove_prefix(1);
    if (shift == 63 && byte > 1) return false;
    *value |= uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

inline bool TakeVarint32(std::string_view* bytes, uint32_t* value) {
  uint64_t wide;
  if (!TakeVarint64(bytes, &wide) || wide > UINT32_MAX) return false;
  *value = static_cast<uint32_t>(wide);
  return true;
}

}  // namespace ramet
