#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "ramet/replica/follower.h"
#include "ramet/replica/transport.h"

// The tables of the statistics of publishers and followers. JSON, Prometheus' text format, and the
// dicts and lines of clients are made from them: a new statistic is a member and a row here.
namespace ramet {

// Describes one statistic.
struct StatField {
  enum class Kind : uint8_t {
    kGauge,    // a number that rises and falls, or a flag
    kCounter,  // a number that only grows
    kTime,     // a time in nanoseconds since 1970; its name ends with "_nanos"
    kStep,     // a step of the trainer, or -1 if it is unknown
    kOther,    // a text, a list, or a struct with a table of its own
  };
  std::string_view name;         // in JSON and in Python, where a time is called "time" (seconds)
  Kind kind = Kind::kGauge;      // of the value
  std::string_view metric = {};  // Prometheus' name, without prefix and suffix; empty: not a metric
  std::string_view help = {};    // a sentence for Prometheus
};

template <class T, class Stats>
concept MaybeConst = std::is_same_v<std::remove_const_t<T>, Stats>;

// Returns the name of a statistic where times are in seconds: "time" for "time_nanos".
inline std::string_view NameInSeconds(const StatField& field) {
  constexpr std::string_view kNanos = "_nanos";
  const bool is_time = field.kind == StatField::Kind::kTime;
  return field.name.substr(0, field.name.size() - (is_time ? kNanos.size() : 0));
}

// Calls fn(field, member) for each member of `info`, a VersionInfo. The metrics are those of a
// follower's current version.
template <MaybeConst<VersionInfo> Info, class Fn>
void ForEachStat(Info& info, Fn&& fn) {
  using Kind = StatField::Kind;
  fn({"epoch", Kind::kGauge, "epoch", "The epoch of the current version."}, info.id.epoch);
  fn({"version", Kind::kGauge, "version", "The current version; 0: none yet."}, info.id.version);
  fn({"step", Kind::kStep, "step", "The trainer's step of the current version; -1: unknown."},
     info.id.step);
  fn({"time_nanos", Kind::kTime}, info.time_nanos);
  fn({"metrics", Kind::kOther}, info.metrics);
  fn({"rollback_to", Kind::kGauge}, info.rollback_to);
  fn({"proof", Kind::kOther, "proven_version",
      "1 if the current version is proven to be what was published."},
     info.proof);
  fn({"hashes", Kind::kOther}, info.hashes);
}

// Calls fn(field, member) for each member of `stats`, a PublisherStats.
template <MaybeConst<PublisherStats> Stats, class Fn>
void ForEachStat(Stats& stats, Fn&& fn) {
  using Kind = StatField::Kind;
  fn({"epoch", Kind::kGauge, "epoch",
      "The publisher's epoch; each start of a publisher is a new one."},
     stats.epoch);
  fn({"version", Kind::kGauge, "version", "The newest version."}, stats.version);
  fn({"step", Kind::kStep, "step", "The trainer's step of the newest version; -1: unknown."},
     stats.step);
  fn({"time_nanos", Kind::kTime, "time",
      "When the newest version was published, in seconds since 1970."},
     stats.time_nanos);
  fn({"published", Kind::kCounter, "published", "Versions published."}, stats.published);
  fn({"skipped", Kind::kCounter, "skipped", "Calls of Publish that found no room."}, stats.skipped);
  fn({"bytes_copied", Kind::kCounter, "copied_bytes", "Bytes of values that had to be copied."},
     stats.bytes_copied);
  fn({"bytes_in_use", Kind::kGauge, "used_bytes", "Memory or disk space taken by values."},
     stats.bytes_in_use);
  fn({"readers", Kind::kGauge, "readers", "Followers."}, stats.readers);
  fn({"oldest_in_use", Kind::kGauge, "oldest_in_use",
      "The oldest version that a follower holds; 0: none."},
     stats.oldest_in_use);
  fn({"labels", Kind::kOther, "label_version", "The version that a label names."}, stats.labels);
}

// Calls fn(field, member) for each member of `stats`, a FollowerStats.
template <MaybeConst<FollowerStats> Stats, class Fn>
void ForEachStat(Stats& stats, Fn&& fn) {
  using Kind = StatField::Kind;
  fn({"current", Kind::kOther, "current"}, stats.current);
  fn({"newest", Kind::kGauge, "newest", "The newest version available."}, stats.newest);
  fn({"lag", Kind::kGauge, "lag", "Versions that the current one is behind the newest."},
     stats.lag);
  fn({"lag_seconds", Kind::kGauge, "lag_seconds",
      "Upper bound of the time for which there has been a newer version."},
     stats.lag_seconds);
  fn({"age_seconds", Kind::kGauge, "age_seconds",
      "Seconds since the current version was published."},
     stats.age_seconds);
  fn({"swaps", Kind::kCounter, "swaps", "Times that a version became current."}, stats.swaps);
  fn({"reloads", Kind::kCounter, "reloads", "Times that the graph and the session were rebuilt."},
     stats.reloads);
  fn({"proven", Kind::kCounter, "proven", "Versions whose hashes were equal."}, stats.proven);
  fn({"refused", Kind::kCounter, "refused", "Versions and publishers that could not be used."},
     stats.refused);
  fn({"last_refusal", Kind::kOther}, stats.last_refusal);
  fn({"bytes", Kind::kGauge, "bytes", "Bytes of the followed values."}, stats.bytes);
  fn({"connected", Kind::kGauge, "connected", "1 if the publisher is there."}, stats.connected);
  fn({"on_fallback", Kind::kGauge, "on_fallback", "1 if the fallback address is followed."},
     stats.on_fallback);
  fn({"missing", Kind::kOther, "missing", "Variables of the session that are not published."},
     stats.missing);
  fn({"extra", Kind::kOther, "extra", "Published variables that the session does not follow."},
     stats.extra);
}

}  // namespace ramet
