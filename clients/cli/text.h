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
// "1 variable", "7 variables".
std::string Count(int64_t n, const std::string& noun);

}  // namespace cli
