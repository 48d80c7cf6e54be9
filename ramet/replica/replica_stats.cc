#include "ramet/replica/replica_stats.h"

#include <cmath>

#include "ramet/base/json.h"
#include "ramet/base/strings.h"
#include "ramet/replica/address.h"
#include "ramet/replica/version_text.h"

namespace ramet {
namespace {

Json VersionJson(const VersionInfo& info) {
  Json json = {{"epoch", info.id.epoch},        {"version", info.id.version},
               {"step", info.id.step},          {"time_nanos", info.time_nanos},
               {"metrics", Json::object()},     {"rollback_to", info.rollback_to},
               {"proof", ProofName(info.proof)}};
  if (!info.metrics.empty()) json["metrics"] = ParseJson(MetricsToText(info.metrics)).value();
  if (!info.hashes.content.empty()) {
    json["hashes"] = {{"source", info.hashes.source}, {"content", info.hashes.content}};
  }
  return json;
}

std::string Escaped(std::string_view label) {
  std::string text;
  for (const char c : label) {
    if (c == '\\' || c == '"') text += '\\';
    if (c == '\n') {
      text += "\\n";
    } else {
      text += c;
    }
  }
  return text;
}

// Builds Prometheus' text format for one address.
class Exposition {
 public:
  Exposition(std::string_view prefix, std::string_view address)
      : prefix_(prefix), labels_(StrCat("address=\"", Escaped(PrintableAddress(address)), "\"")) {}
  template <class T>
  void Gauge(std::string_view name, std::string_view help, T value, std::string_view more = "") {
    Add(name, help, "gauge", StrCat(value), more);
  }
  void Counter(std::string_view name, std::string_view help, uint64_t value) {
    Add(StrCat(name, "_total"), help, "counter", StrCat(value), "");
  }
  std::string text() const { return text_; }

 private:
  void Add(std::string_view name, std::string_view help, std::string_view type,
           std::string_view value, std::string_view more) {
    const std::string full = StrCat("ramet_", prefix_, "_", name);
    if (full != last_) {
      text_ += StrCat("# HELP ", full, " ", help, "\n# TYPE ", full, " ", type, "\n");
    }
    last_ = full;
    text_ += StrCat(full, "{", labels_, more, "} ", value, "\n");
  }

  const std::string prefix_, labels_;
  std::string text_, last_;
};

}  // namespace

std::string_view ProofName(VersionProof proof) {
  switch (proof) {
    case VersionProof::kPending: return "pending";
    case VersionProof::kProven: return "proven";
    case VersionProof::kNotAsked: break;
  }
  return "not_asked";
}

std::string VersionToJson(const VersionInfo& info) { return PrintJson(VersionJson(info)); }

std::string StatsToJson(const PublisherStats& stats) { return PublisherStatsToText(stats); }

std::string StatsToJson(const FollowerStats& s) {
  return PrintJson({{"current", VersionJson(s.current)},
                    {"newest", s.newest},
                    {"lag", s.lag},
                    {"lag_seconds", s.lag_seconds},
                    {"age_seconds", s.age_seconds},
                    {"swaps", s.swaps},
                    {"reloads", s.reloads},
                    {"proven", s.proven},
                    {"refused", s.refused},
                    {"last_refusal", s.last_refusal},
                    {"bytes", s.bytes},
                    {"connected", s.connected},
                    {"on_fallback", s.on_fallback},
                    {"missing", s.missing},
                    {"extra", s.extra}});
}

std::string StatsToPrometheus(const PublisherStats& s, std::string_view address) {
  Exposition out("publisher", address);
  out.Gauge("epoch", "The publisher's epoch; each start of a publisher is a new one.", s.epoch);
  out.Gauge("version", "The newest version.", s.version);
  out.Gauge("step", "The trainer's step of the newest version; -1: unknown.", s.step);
  out.Gauge("time_seconds", "When the newest version was published, in seconds since 1970.",
            static_cast<double>(s.time_nanos / 1'000'000) / 1e3);
  out.Counter("published", "Versions published.", s.published);
  out.Counter("skipped", "Calls of Publish that found no room.", s.skipped);
  out.Counter("copied_bytes", "Bytes of values that had to be copied.", s.bytes_copied);
  out.Gauge("used_bytes", "Memory or disk space taken by values.", s.bytes_in_use);
  out.Gauge("readers", "Followers.", s.readers);
  out.Gauge("oldest_in_use", "The oldest version that a follower holds; 0: none.", s.oldest_in_use);
  for (const auto& label : s.labels) {
    out.Gauge("label_version", "The version that a label names.", label.second,
              StrCat(",label=\"", Escaped(label.first), "\""));
  }
  return out.text();
}

std::string StatsToPrometheus(const FollowerStats& s, std::string_view address) {
  Exposition out("follower", address);
  out.Gauge("epoch", "The epoch of the current version.", s.current.id.epoch);
  out.Gauge("version", "The current version; 0: none yet.", s.current.id.version);
  out.Gauge("step", "The trainer's step of the current version; -1: unknown.", s.current.id.step);
  out.Gauge("proven_version", "1 if the current version is proven to be what was published.",
            s.current.proof == VersionProof::kProven ? 1 : 0);
  out.Gauge("newest", "The newest version available.", s.newest);
  out.Gauge("lag", "Versions that the current one is behind the newest.", s.lag);
  out.Gauge("lag_seconds", "Upper bound of the time for which there has been a newer version.",
            s.lag_seconds);
  out.Gauge("age_seconds", "Seconds since the current version was published.", s.age_seconds);
  out.Counter("swaps", "Times that a version became current.", s.swaps);
  out.Counter("reloads", "Times that the graph and the session were rebuilt.", s.reloads);
  out.Counter("proven", "Versions whose hashes were equal.", s.proven);
  out.Counter("refused", "Versions and publishers that could not be used.", s.refused);
  out.Gauge("bytes", "Bytes of the followed values.", s.bytes);
  out.Gauge("connected", "1 if the publisher is there.", s.connected ? 1 : 0);
  out.Gauge("on_fallback", "1 if the fallback address is followed.", s.on_fallback ? 1 : 0);
  out.Gauge("missing", "Variables of the session that are not published.", s.missing.size());
  out.Gauge("extra", "Published variables that the session does not follow.", s.extra.size());
  return out.text();
}

}  // namespace ramet
