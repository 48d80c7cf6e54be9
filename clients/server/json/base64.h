#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace server {

// Appends `bytes` in the standard alphabet of base64 with padding.
void AppendBase64(std::string_view bytes, std::string* out);
// Returns the bytes of a text in the standard alphabet. The padding is optional. Returns nothing if
// the text is malformed.
std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace server
