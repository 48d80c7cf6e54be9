#pragma once

#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/export.h"

namespace ramet {

// A type with a method ToString().
template <class T>
concept HasToString = requires(const T& t) {
  { t.ToString() } -> std::convertible_to<std::string>;
};

namespace strings_internal {
RAMET_EXPORT std::ostream& Print(std::ostream& out, const std::string& text);
RAMET_EXPORT void Append(std::string& out, std::string_view s);
RAMET_EXPORT void Append(std::string& out, int64_t v);
RAMET_EXPORT void Append(std::string& out, uint64_t v);
RAMET_EXPORT void Append(std::string& out, double v);
RAMET_EXPORT void Append(std::string& out, float v);
inline void Append(std::string& out, char c) { out.push_back(c); }
inline void Append(std::string& out, bool b) { out += b ? "true" : "false"; }
inline void Append(std::string& out, const char* s) { Append(out, std::string_view(s)); }
inline void Append(std::string& out, const std::string& s) { Append(out, std::string_view(s)); }
template <std::signed_integral T>
void Append(std::string& out, T v) {
  Append(out, static_cast<int64_t>(v));
}
template <std::unsigned_integral T>
void Append(std::string& out, T v) {
  Append(out, static_cast<uint64_t>(v));
}
template <HasToString T>
void Append(std::string& out, const T& v) {
  out += v.ToString();
}
}  // namespace strings_internal

// Prints any value with ToString(): Status, Shape, Tensor, Output, Operation, Variable and others.
template <HasToString T>
std::ostream& operator<<(std::ostream& out, const T& value) {
  return strings_internal::Print(out, value.ToString());
}

// Concatenates strings, numbers (the shortest text that parses back), bools and anything with
// ToString().
template <class... Args>
std::string StrCat(const Args&... args) {
  std::string out;
  (strings_internal::Append(out, args), ...);
  return out;
}

// Joins the elements of `range` with `separator`.
template <class Range>
std::string StrJoin(const Range& range, std::string_view separator) {
  std::string out;
  bool first = true;
  for (const auto& item : range) {
    if (!first) out += separator;
    first = false;
    strings_internal::Append(out, item);
  }
  return out;
}

// Splits at each `separator`. "" has one empty piece.
RAMET_EXPORT std::vector<std::string_view> StrSplit(std::string_view text, char separator);

// Parses all of `text` as a decimal number. Returns false for anything else and on overflow.
RAMET_EXPORT bool ParseInt64(std::string_view text, int64_t* value);

// Returns the number of single-character edits between two words.
RAMET_EXPORT int EditDistance(std::string_view a, std::string_view b);

// Returns the candidate nearest to `word`, or "" if none is within max(2, size/3) edits.
RAMET_EXPORT std::string NearestName(std::string_view word,
                                     const std::vector<std::string_view>& candidates);

}  // namespace ramet
