#pragma once

#include <string>
#include <string_view>

#include "ramet/base/export.h"
#include "ramet/replica/follower.h"

// The numbers of publishers and followers as text.
namespace ramet {

// An object with the fields of the struct under their names; of `current`, "version" with epoch,
// version, step, time_nanos, metrics, rollback_to, proof ("not_asked", "pending", "proven") and, if
// it is proven, hashes. One line.
RAMET_EXPORT std::string StatsToJson(const PublisherStats& stats);
RAMET_EXPORT std::string StatsToJson(const FollowerStats& stats);
RAMET_EXPORT std::string VersionToJson(const VersionInfo& info);

// Prometheus' text format: metrics ramet_publisher_... and ramet_follower_... with the label
// address="...". Those that count up end with _total.
RAMET_EXPORT std::string StatsToPrometheus(const PublisherStats& stats, std::string_view address);
RAMET_EXPORT std::string StatsToPrometheus(const FollowerStats& stats, std::string_view address);

// "not_asked", "pending" or "proven".
RAMET_EXPORT std::string_view ProofName(VersionProof proof);

}  // namespace ramet
