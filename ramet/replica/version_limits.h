#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "ramet/base/status.h"

// Limits of versions, and the error of exceeding them. They are the same for all transports, so
// that a program works with any of them.
namespace ramet {

inline constexpr size_t kMaxLabelBytes = 47;
inline constexpr size_t kMaxMetricsBytes = 1984;

// \error kInvalidArgument: the metrics have more than kMaxMetricsBytes bytes as JSON.
Status CheckMetrics(const std::map<std::string, double>& metrics);

// Returns kNotFound for a version that a publisher does not keep. `kept` are those that it keeps.
Status NotKept(uint64_t version, std::span<const uint64_t> kept);

}  // namespace ramet
