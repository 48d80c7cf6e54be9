#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "ramet/base/status.h"

// Limits for the label and the metrics of a version. They are the same for all transports, so that
// a program works with any of them.
namespace ramet {

inline constexpr size_t kMaxLabelBytes = 47;
inline constexpr size_t kMaxMetricsBytes = 1984;

// \error kInvalidArgument: the metrics have more than kMaxMetricsBytes bytes as JSON.
Status CheckMetrics(const std::map<std::string, double>& metrics);

}  // namespace ramet
