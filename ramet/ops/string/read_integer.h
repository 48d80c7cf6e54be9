#pragma once

#include <type_traits>

#include "ramet/ops/string/read_float.h"

namespace ramet {

// Reads a decimal integer with white space around it. Returns false if `text` is something else or
// out of range.
template <class T>
bool ReadInteger(std::string_view text, T* out) {
  text = Trimmed(text);
  if (text.starts_with('+') && std::is_signed_v<T>) text.remove_prefix(1);
  if (text.empty() || text.starts_with('+')) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace ramet
