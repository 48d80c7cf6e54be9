#pragma once

#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

namespace ramet {

// Returns `text` without white space at its ends.
inline std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// Reads a number as a C program does in the "C" locale. strtod would follow the locale of the
// process, so the digits go through from_chars.
template <class T>
bool ReadFloat(std::string_view text, T* out) {
  text = Trimmed(text);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || text.starts_with('-') || text.starts_with('+')) return false;
  const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  if (hex) text.remove_prefix(2);
  T value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value,
                      hex ? std::chars_format::hex : std::chars_format::general);
  if (end != text.data() + text.size()) return false;
  if (error == std::errc::result_out_of_range) {
    const double wide = std::strtod(std::string(hex ? "0x" : "").append(text).c_str(), nullptr);
    value = static_cast<T>(wide);
  } else if (error != std::errc()) {
    return false;
  }
  *out = negative ? -value : value;
  return true;
}

}  // namespace ramet
