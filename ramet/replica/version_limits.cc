#include "ramet/replica/version_limits.h"

#include <vector>

#include "ramet/base/strings.h"
#include "ramet/replica/version_text.h"

namespace ramet {

Status CheckMetrics(const std::map<std::string, double>& metrics) {
  const size_t bytes = MetricsToText(metrics).size();
  if (bytes <= kMaxMetricsBytes) return OkStatus();
  return InvalidArgument("the metrics of a version have ", bytes,
                         " bytes as JSON; publish at most ", kMaxMetricsBytes, " bytes of them");
}

Status NotKept(uint64_t version, std::span<const uint64_t> kept) {
  if (kept.empty()) return NotFound("version ", version, " is not kept; nothing is published yet");
  return NotFound("version ", version,
                  " is not kept (kept: ", StrJoin(std::vector(kept.begin(), kept.end()), ", "),
                  "); the publisher keeps ", kept.size(),
                  kept.size() == 1 ? " version" : " versions", ", 'retained' keeps more");
}

}  // namespace ramet
