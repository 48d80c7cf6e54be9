#include "ramet/base/utf8.h"

#include <algorithm>

namespace ramet {
namespace {

// Describes the first byte of a UTF-8 sequence of `length` bytes, and the smallest code that needs
// so many.
struct Utf8Lead {
  unsigned char mask, bits;
  int length;
  uint32_t smallest;
};
constexpr Utf8Lead kLeads[] = {
    {0x80, 0x00, 1, 0}, {0xE0, 0xC0, 2, 0x80}, {0xF0, 0xE0, 3, 0x800}, {0xF8, 0xF0, 4, 0x10000}};

}  // namespace

bool IsUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x80) {
      ++i;
      continue;
    }
    const auto* lead =
        std::ranges::find_if(kLeads, [c](const Utf8Lead& l) { return (c & l.mask) == l.bits; });
    if (lead == std::end(kLeads) || text.size() - i < static_cast<size_t>(lead->length))
      return false;
    uint32_t code = c & static_cast<unsigned char>(~lead->mask);
    for (int k = 1; k < lead->length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + static_cast<size_t>(k)]);
      if ((next & 0xC0) != 0x80) return false;
      code = (code << 6) | (next & 0x3F);
    }
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (code < lead->smallest || surrogate || code > 0x10FFFF) return false;
    i += static_cast<size_t>(lead->length);
  }
  return true;
}

void AppendUtf8(uint32_t code, std::string* out) {
  if (code < 0x80) {
    *out += static_cast<char>(code);
    return;
  }
  const int length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  *out += static_cast<char>(kLeads[length - 1].bits | (code >> (6 * (length - 1))));
  for (int i = length - 2; i >= 0; --i) {
    *out += static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3F));
  }
}

}  // namespace ramet
