#pragma once

#include <ramet/ramet.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

namespace cli {

// {"dtype": "float", "shape": [2], "values": [1, 2]}: at most `max` values in row-major order;
// complex numbers as pairs, infinities and NaN as texts. "values" is null for dtypes that have no
// such form (quantised ones).
nlohmann::json TensorJson(const ramet::Tensor& tensor,
                          int64_t max = std::numeric_limits<int64_t>::max());

}  // namespace cli
