#include "ramet/replica/version_limits.h"

#include "ramet/replica/version_text.h"

namespace ramet {

Status CheckMetrics(const std::map<std::string, double>& metrics) {
  const size_t bytes = MetricsToText(metrics).size();
  if (bytes <= kMaxMetricsBytes) return OkStatus();
  return InvalidArgument("the metrics of a version have ", bytes,
                         " bytes as JSON; publish at most ", kMaxMetricsBytes, " bytes of them");
}

}  // namespace ramet
