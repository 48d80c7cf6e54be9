#pragma once

#include <ramet/ramet.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

namespace cli {

// Returns {"dtype": "float", "shape": [2], "values": [1, 2]}, with at most `max` values in
// row-major order. Complex numbers are pairs; infinities and NaN are strings. "values" is null for
// dtypes without such a form, which are the quantized ones.
nlohmann::json TensorJson(const ramet::Tensor& tensor,
                          int64_t max = std::numeric_limits<int64_t>::max());

}  // namespace cli
