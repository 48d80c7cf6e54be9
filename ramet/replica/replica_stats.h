#pragma once

#include <string>
#include <string_view>

#include "ramet/base/export.h"
#include "ramet/replica/follower.h"
#include "ramet/replica/stats_fields.h"

// Formats the statistics of publishers and followers as text, from the tables of stats_fields.h.
namespace ramet {

// Return a JSON object on one line, with the fields of the struct under their names. A version
// ("current") has epoch, version, step, time_nanos, metrics, rollback_to, proof ("not_asked",
// "pending" or "proven") and, if it is proven, hashes.
RAMET_EXPORT std::string StatsToJson(const PublisherStats& stats);
RAMET_EXPORT std::string StatsToJson(const FollowerStats& stats);
RAMET_EXPORT std::string VersionToJson(const VersionInfo& info);

// Return Prometheus' text format: metrics ramet_publisher_... and ramet_follower_... with the label
// address="...". The names of counters end with _total.
RAMET_EXPORT std::string StatsToPrometheus(const PublisherStats& stats, std::string_view address);
RAMET_EXPORT std::string StatsToPrometheus(const FollowerStats& stats, std::string_view address);

// Returns "not_asked", "pending" or "proven".
RAMET_EXPORT std::string_view ProofName(VersionProof proof);

}  // namespace ramet
