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
// "1 variable", "7 variables".
std::string Count(int64_t n, const std::string& noun);

}  // namespace cli
