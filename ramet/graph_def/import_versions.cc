#include "ramet/graph_def/import_versions.h"

#include <algorithm>
#include <set>

namespace ramet {
namespace {

constexpr int kConsumerVersion = 2474;

}  // namespace

Status CheckVersions(const VersionDef& versions) {
  if (versions.min_consumer() > kConsumerVersion) {
    return InvalidArgument("GraphDef min consumer version ", versions.min_consumer(),
                           " above current version ", kConsumerVersion,
                           " for TensorFlow 2.21.0 (and "
                           "Ramet, which follows it).  Please upgrade TensorFlow.");
  }
  if (versions.producer() < 0) {
    return InvalidArgument("GraphDef producer version ", versions.producer(),
                           " below min producer 0 "
                           "supported by TensorFlow 2.21.0.  Please regenerate your graph.");
  }
  for (int bad : versions.bad_consumers()) {
    if (bad != kConsumerVersion) continue;
    return InvalidArgument("GraphDef disallows consumer version ", bad,
                           ".  Please upgrade TensorFlow: this version is likely buggy.");
  }
  return OkStatus();
}

void MergeVersions(const VersionDef& from, GraphVersions* to) {
  to->producer = std::min(to->producer, from.producer());
  to->min_consumer = std::max(to->min_consumer, from.min_consumer());
  std::set<int> bad(to->bad_consumers.begin(), to->bad_consumers.end());
  bad.insert(from.bad_consumers().begin(), from.bad_consumers().end());
  to->bad_consumers.assign(bad.begin(), bad.end());
}

}  // namespace ramet
