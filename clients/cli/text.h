#pragma once

#include <ramet/ramet.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace cli {

// "1.1 MB": 1000-based, as disks and ls --si count.
std::string Bytes(int64_t bytes);
// "float[?,784]".
std::string TypeAndShape(ramet::DType dtype, const ramet::Shape& shape);
// [null, 784]; null when the rank is unknown.
nlohmann::json ShapeJson(const ramet::Shape& shape);

enum class Colour { kRed, kGreen };
// The text in a colour when stdout is a terminal and NO_COLOR is not set, else as it is.
std::string Paint(const std::string& text, Colour colour);
// Text from a file, for a terminal: control characters and what is no UTF-8 become '?'.
std::string Clean(const std::string& text);
// To stdout, indented; text that is no UTF-8 gets U+FFFD.
void PrintJson(const nlohmann::json& json);
// null for an empty text.
inline nlohmann::json OrNull(const std::string& text) {
  return text.empty() ? nlohmann::json() : nlohmann::json(text);
}
// What commands take that read tensors, for their help.
inline constexpr char kTensorsHelp[] =
    "A checkpoint (its path without .index; V1: its file, or 'PREFIX-\?\?\?\?\?-of-00004'), a "
    ".meta "
    "file beside one, a SavedModel's folder, a .safetensors or .npz file, a frozen graph";
// "1 variable", "7 variables".
std::string Count(int64_t n, const std::string& noun);

}  // namespace cli
