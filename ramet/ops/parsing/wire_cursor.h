#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace ramet {

// A WireCursor reads a message in protocol buffers' wire format as TensorFlow's parser of examples
// does. That parser is less strict than protocol buffers: a length that reaches past the end of the
// message counts as the rest of it, unless the field is a string. Borrows the bytes.
class WireCursor {
 public:
  // The tags of the fields that examples consist of. All of them fit in one byte.
  static constexpr uint8_t BytesTag(int field) { return static_cast<uint8_t>(field << 3 | 2); }
  static constexpr uint8_t VarintTag(int field) { return static_cast<uint8_t>(field << 3); }
  static constexpr uint8_t Fixed32Tag(int field) { return static_cast<uint8_t>(field << 3 | 5); }

  explicit WireCursor(std::string_view bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool AtEnd() const { return at_ == end_; }
  std::string_view rest() const { return {at_, static_cast<size_t>(end_ - at_)}; }
  // Returns the next byte; 0 at the end.
  uint8_t Peek() const { return AtEnd() ? 0 : static_cast<uint8_t>(*at_); }
  // Skips the next byte if it is `tag`.
  bool Expect(uint8_t tag) {
    if (Peek() != tag || AtEnd()) return false;
    ++at_;
    return true;
  }

  bool Varint(uint64_t* value) {
    if (!AtEnd() && static_cast<uint8_t>(*at_) < 0x80) {
      *value = static_cast<uint8_t>(*at_++);
      return true;
    }
    *value = 0;
    for (int shift = 0; shift < 70 && !AtEnd(); shift += 7) {
      const auto byte = static_cast<uint8_t>(*at_++);
      if (shift < 64) *value |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }
  // Takes a tag. Returns 0 at the end and for a malformed one.
  uint32_t Tag() {
    uint64_t tag;
    return Varint(&tag) ? static_cast<uint32_t>(tag) : 0;
  }
  bool Fixed32(uint32_t* value) {
    if (rest().size() < 4) return false;
    *value = 0;
    for (int i = 0; i < 4; ++i) *value |= uint32_t{static_cast<uint8_t>(*at_++)} << (8 * i);
    return true;
  }
  // Takes a length and as many bytes. Returns false if there are fewer.
  bool Bytes(std::string_view* bytes) {
    uint64_t size;
    if (!Varint(&size)) return false;
    if (static_cast<uint32_t>(size) > rest().size()) return false;
    *bytes = Take(static_cast<uint32_t>(size));
    return true;
  }
  // Takes a length and as many bytes, or all if there are fewer.
  bool Message(WireCursor* message) {
    uint64_t size;
    if (!Varint(&size)) return false;
    *message = WireCursor(Take(std::min<size_t>(static_cast<uint32_t>(size), rest().size())));
    return true;
  }
  // Skips the content of a field whose tag was taken. Returns false for groups.
  bool SkipContent(uint32_t tag) {
    uint64_t ignored;
    WireCursor message({});
    switch (tag & 7) {
      case 0: return Varint(&ignored);
      case 1: return SkipBytes(8);
      case 2: return Message(&message);
      case 5: return SkipBytes(4);
      default: return false;
    }
  }

 private:
  std::string_view Take(size_t size) {
    const std::string_view taken(at_, size);
    at_ += size;
    return taken;
  }
  bool SkipBytes(size_t size) {
    if (rest().size() < size) return false;
    at_ += size;
    return true;
  }

  const char* at_;
  const char* end_;
};

}  // namespace ramet
