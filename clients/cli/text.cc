#include "text.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string_view>

namespace cli {
namespace {

// Returns the number of bytes of the first character of `text`; 0 if it is not valid UTF-8 or is a
// C1 control character.
size_t Utf8Length(std::string_view text) {
  const auto at = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = at(0);
  const size_t n = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (n == 1) return 1;
  if (first < 0xc2 || first > 0xf4 || text.size() < n) return 0;
  for (size_t i = 1; i < n; ++i) {
    if ((at(i) & 0xc0) != 0x80) return 0;
  }
  const unsigned char second = at(1);
  const bool bad = (first == 0xc2 && second < 0xa0) || (first == 0xe0 && second < 0xa0) ||
                   (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) ||
                   (first == 0xf4 && second > 0x8f);
  return bad ? 0 : n;
}

}  // namespace

std::string Bytes(int64_t bytes) {
  if (bytes < 1000) return ramet::StrCat(bytes, " B");
  double value = static_cast<double>(bytes) / 1000;
  const char* unit = "kMGTPE";
  for (; value >= 999.95 && unit[1] != '\0'; ++unit) value /= 1000;
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f %cB", value, *unit);
  return text;
}

std::string TypeAndShape(ramet::DType dtype, const ramet::Shape& shape) {
  return ramet::StrCat(ramet::DTypeName(dtype), shape);
}

nlohmann::json ShapeJson(const ramet::Shape& shape) {
  if (shape.unknown_rank()) return nullptr;
  auto dims = nlohmann::json::array();
  for (int64_t dim : shape.dims()) dims.push_back(dim < 0 ? nlohmann::json() : nlohmann::json(dim));
  return dims;
}

std::string Paint(const std::string& text, Color color) {
  static const bool colors = isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
  if (!colors) return text;
  return ramet::StrCat(color == Color::kRed ? "\033[31m" : "\033[32m", text, "\033[0m");
}

void PrintJson(const nlohmann::json& json) {
  std::cout << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
}

std::string Clean(const std::string& text) {
  std::string clean;
  for (size_t i = 0; i < text.size();) {
    const size_t n = Utf8Length(std::string_view(text).substr(i));
    const bool printable =
        n > 1 || (n == 1 && static_cast<unsigned char>(text[i]) >= ' ' && text[i] != 127);
    clean += printable ? text.substr(i, n) : "?";
    i += std::max<size_t>(n, 1);
  }
  return clean;
}

std::string Count(int64_t n, const std::string& noun) {
  return ramet::StrCat(n, " ", noun, n == 1 ? "" : "s");
}

}  // namespace cli
