#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ramet {

// Reports whether `text` is UTF-8 (RFC 3629): no overlong forms, surrogates or codes above
// U+10FFFF.
bool IsUtf8(std::string_view text);
// Appends a code point, at most U+10FFFF.
void AppendUtf8(uint32_t code, std::string* out);

}  // namespace ramet
