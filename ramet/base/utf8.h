#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ramet {

// Whether `text` is UTF-8 (RFC 3629): no overlong forms, no surrogates, no code above U+10FFFF.
bool IsUtf8(std::string_view text);
// Appends a code point, which is at most U+10FFFF.
void AppendUtf8(uint32_t code, std::string* out);

}  // namespace ramet
