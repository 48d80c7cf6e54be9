#pragma once

#include <map>
#include <string>
#include <string_view>

#include "ramet/replica/transport.h"

namespace ramet {

// Metrics as a JSON object, and back; what JSON has no number for is "nan", "inf" or "-inf". What
// is no number in a damaged text is left out.
std::string MetricsToText(const std::map<std::string, double>& metrics);
std::map<std::string, double> MetricsFromText(std::string_view text);

// What goes with a version beside its number, step and time: its metrics, and "rollback_to" in an
// object of its own, "" if there is none of either. And back into `info`.
std::string InfoToText(const VersionInfo& info);
void InfoFromText(std::string_view text, VersionInfo* info);

// The numbers of a publisher as JSON, and back. \error kInvalidArgument if it is no object.
std::string PublisherStatsToText(const PublisherStats& stats);
StatusOr<PublisherStats> PublisherStatsFromText(std::string_view text);

}  // namespace ramet
