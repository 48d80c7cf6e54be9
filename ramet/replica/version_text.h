#pragma once

#include <map>
#include <string>
#include <string_view>

#include "ramet/replica/transport.h"

namespace ramet {

// Convert metrics to a JSON object and back. Values that JSON numbers cannot express are written as
// "nan", "inf" or "-inf". Entries of a damaged text that are not numbers are dropped.
std::string MetricsToText(const std::map<std::string, double>& metrics);
std::map<std::string, double> MetricsFromText(std::string_view text);

// Convert the metrics and rollback_to of a version to a JSON object and back. The text is empty if
// the version has neither.
std::string InfoToText(const VersionInfo& info);
void InfoFromText(std::string_view text, VersionInfo* info);

// Convert the statistics of a publisher to JSON and back.
// \error kInvalidArgument: `text` is not a JSON object.
std::string PublisherStatsToText(const PublisherStats& stats);
StatusOr<PublisherStats> PublisherStatsFromText(std::string_view text);

}  // namespace ramet
