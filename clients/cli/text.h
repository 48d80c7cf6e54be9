#pragma once

#include <ramet/ramet.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace cli {

// Formats a size in powers of 1000, as `ls --si` does: "1.1 MB".
std::string Bytes(int64_t bytes);
// Returns text such as "float[?,784]".
std::string TypeAndShape(ramet::DType dtype, const ramet::Shape& shape);
// Returns a list such as [null, 784], with null for an unknown dimension; null if the rank is
// unknown.
nlohmann::json ShapeJson(const ramet::Shape& shape);

enum class Color { kRed, kGreen };
// Colors the text if stdout is a terminal and NO_COLOR is not set.
std::string Paint(const std::string& text, Color color);
// Makes text from a file safe for a terminal: control characters and invalid UTF-8 become '?'.
std::string Clean(const std::string& text);
// Prints indented JSON to stdout, with U+FFFD for invalid UTF-8.
void PrintJson(const nlohmann::json& json);
// Returns null for an empty text.
inline nlohmann::json OrNull(const std::string& text) {
  return text.empty() ? nlohmann::json() : nlohmann::json(text);
}
// Help for the input of commands that read tensors.
inline constexpr char kTensorsHelp[] =
    "A checkpoint (V2: its PREFIX; V1: its file, or 'PREFIX-\?\?\?\?\?-of-00004'), the .meta file "
    "next to one, a SavedModel folder, a .safetensors or .npz file, or a frozen GraphDef";
// Help for --tags.
inline constexpr char kTagsHelp[] =
    "Select the graph of a SavedModel with these tags, separated by commas (default: the only "
    "graph, or the one tagged serve)";
// Returns "1 variable", "7 variables".
std::string Count(int64_t n, const std::string& noun);

}  // namespace cli
