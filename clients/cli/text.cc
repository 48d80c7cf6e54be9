#include "text.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace cli {

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

std::string Paint(const std::string& text, Colour colour) {
  static const bool colours = isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
  if (!colours) return text;
  return ramet::StrCat(colour == Colour::kRed ? "\033[31m" : "\033[32m", text, "\033[0m");
}

std::string Count(int64_t n, const std::string& noun) {
  return ramet::StrCat(n, " ", noun, n == 1 ? "" : "s");
}

}  // namespace cli
