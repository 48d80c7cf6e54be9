#include "ramet/replica/replica_stats.h"

#include <type_traits>

#include "ramet/base/json.h"
#include "ramet/base/strings.h"
#include "ramet/replica/address.h"
#include "ramet/replica/version_text.h"

namespace ramet {
namespace {

Json VersionJson(const VersionInfo& info);

// Convert the values of statistics to JSON.
template <class T>
Json ValueJson(const T& value) {
  return value;
}
Json ValueJson(VersionProof proof) { return ProofName(proof); }
Json ValueJson(const VersionHashes& hashes) {
  return {{"source", hashes.source}, {"content", hashes.content}};
}
Json ValueJson(const std::map<std::string, double>& metrics) {
  return metrics.empty() ? Json::object() : ParseJson(MetricsToText(metrics)).value();
}
Json ValueJson(const VersionInfo& info) { return VersionJson(info); }

template <class Stats>
Json StatsJson(const Stats& stats) {
  Json json = Json::object();
  ForEachStat(stats, [&](const StatField& field, const auto& value) {
    json[std::string(field.name)] = ValueJson(value);
  });
  return json;
}

Json VersionJson(const VersionInfo& info) {
  Json json = StatsJson(info);
  if (info.hashes.content.empty()) json.erase("hashes");
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

// Builds Prometheus' text format for one address. Call it with each row of a table.
class Exposition {
 public:
  Exposition(std::string_view prefix, std::string_view address)
      : prefix_(prefix), labels_(StrCat("address=\"", Escaped(PrintableAddress(address)), "\"")) {}
  template <class T>
  void operator()(const StatField& field, const T& value) {
    if (field.metric.empty()) return;
    if constexpr (std::is_arithmetic_v<T>) {
      AddNumber(field, value);
    } else {
      AddOther(field, value);
    }
  }
  std::string text() const { return text_; }

 private:
  template <class T>
  void AddNumber(const StatField& field, T value) {
    const std::string name(field.metric);
    switch (field.kind) {
      case StatField::Kind::kCounter: return Add(field, name + "_total", "counter", StrCat(+value));
      case StatField::Kind::kTime: {
        const auto millis = static_cast<int64_t>(value) / 1'000'000;
        return Add(field, name + "_seconds", "gauge", StrCat(static_cast<double>(millis) / 1e3));
      }
      default: return Add(field, name, "gauge", StrCat(+value));
    }
  }
  void AddOther(const StatField& field, VersionProof proof) {
    AddNumber(field, proof == VersionProof::kProven);
  }
  void AddOther(const StatField& field, const std::vector<std::string>& names) {
    AddNumber(field, names.size());
  }
  void AddOther(const StatField& field, const std::map<std::string, uint64_t>& versions) {
    for (const auto& [label, version] : versions) {
      Add(field, std::string(field.metric), "gauge", StrCat(version),
          StrCat(",label=\"", Escaped(label), "\""));
    }
  }
  void AddOther(const StatField&, const VersionInfo& info) { ForEachStat(info, *this); }
  void AddOther(const StatField&, const auto&) {}

  void Add(const StatField& field, const std::string& name, std::string_view type,
           std::string_view value, std::string_view more = "") {
    const std::string full = StrCat("ramet_", prefix_, "_", name);
    if (full != last_) {
      text_ += StrCat("# HELP ", full, " ", field.help, "\n# TYPE ", full, " ", type, "\n");
    }
    last_ = full;
    text_ += StrCat(full, "{", labels_, more, "} ", value, "\n");
  }

  const std::string prefix_, labels_;
  std::string text_, last_;
};

template <class Stats>
std::string Prometheus(std::string_view prefix, const Stats& stats, std::string_view address) {
  Exposition exposition(prefix, address);
  ForEachStat(stats, exposition);
  return exposition.text();
}

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

std::string StatsToJson(const FollowerStats& stats) { return PrintJson(StatsJson(stats)); }

std::string StatsToPrometheus(const PublisherStats& stats, std::string_view address) {
  return Prometheus("publisher", stats, address);
}

std::string StatsToPrometheus(const FollowerStats& stats, std::string_view address) {
  return Prometheus("follower", stats, address);
}

}  // namespace ramet
