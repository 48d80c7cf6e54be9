#include "ramet/replica/version_limits.h"

#include <algorithm>

#include "ramet/replica/version_text.h"

namespace ramet {

Status CheckLabel(std::string_view label) {
  const auto is_valid = [](unsigned char c) {
    return c > ' ' && c != '/' && c != '@' && c != '\x7f';
  };
  if (!label.empty() && label.size() <= kMaxLabelBytes && label.front() != '.' &&
      std::ranges::all_of(label, is_valid)) {
    return OkStatus();
  }
  return InvalidArgument("'", label, "' is not a valid label; use 1 to ", kMaxLabelBytes,
                         " bytes without '/', '@', spaces and control characters, and no '.' at "
                         "the beginning");
}

Status CheckMetrics(const std::map<std::string, double>& metrics) {
  const size_t bytes = MetricsToText(metrics).size();
  if (bytes <= kMaxMetricsBytes) return OkStatus();
  return InvalidArgument("the metrics of a version have ", bytes,
                         " bytes as JSON; publish at most ", kMaxMetricsBytes, " bytes of them");
}

}  // namespace ramet
