#include "ramet/replica/version_text.h"

#include <cmath>
#include <limits>

#include "ramet/base/json.h"

namespace ramet {
namespace {

Json MetricsToJson(const std::map<std::string, double>& metrics) {
  Json json = Json::object();
  for (const auto& [name, value] : metrics) {
    if (std::isfinite(value)) {
      json[name] = value;
    } else {
      json[name] = std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    }
  }
  return json;
}

std::map<std::string, double> MetricsFromJson(const Json& json) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::map<std::string, double> metrics;
  if (!json.is_object()) return metrics;
  for (const auto& [name, value] : json.items()) {
    if (value.is_number()) metrics[name] = value.get<double>();
    if (value == "nan") metrics[name] = std::numeric_limits<double>::quiet_NaN();
    if (value == "inf") metrics[name] = kInfinity;
    if (value == "-inf") metrics[name] = -kInfinity;
  }
  return metrics;
}

// Sets `*number` if there is an integer of that name.
template <class T>
void Take(const Json& json, const char* name, T* number) {
  const auto found = json.find(name);
  if (found != json.end() && found->is_number_integer()) *number = found->get<T>();
}

}  // namespace

std::string MetricsToText(const std::map<std::string, double>& metrics) {
  return metrics.empty() ? "" : PrintJson(MetricsToJson(metrics));
}

std::map<std::string, double> MetricsFromText(std::string_view text) {
  const StatusOr<Json> json = ParseJson(text);
  return json.ok() ? MetricsFromJson(*json) : std::map<std::string, double>();
}

std::string InfoToText(const VersionInfo& info) {
  if (info.metrics.empty() && info.rollback_to == 0) return "";
  Json json = Json::object();
  if (!info.metrics.empty()) json["metrics"] = MetricsToJson(info.metrics);
  if (info.rollback_to != 0) json["rollback_to"] = info.rollback_to;
  return PrintJson(json);
}

void InfoFromText(std::string_view text, VersionInfo* info) {
  if (text.empty()) return;
  const StatusOr<Json> json = ParseJson(text);
  if (!json.ok() || !json->is_object()) return;
  if (json->contains("metrics")) info->metrics = MetricsFromJson((*json)["metrics"]);
  Take(*json, "rollback_to", &info->rollback_to);
}

std::string PublisherStatsToText(const PublisherStats& s) {
  return PrintJson({{"epoch", s.epoch},
                    {"version", s.version},
                    {"step", s.step},
                    {"time_nanos", s.time_nanos},
                    {"published", s.published},
                    {"skipped", s.skipped},
                    {"bytes_copied", s.bytes_copied},
                    {"bytes_in_use", s.bytes_in_use},
                    {"readers", s.readers},
                    {"oldest_in_use", s.oldest_in_use},
                    {"labels", s.labels}});
}

StatusOr<PublisherStats> PublisherStatsFromText(std::string_view text) {
  const StatusOr<Json> parsed = ParseJson(text);
  if (!parsed.ok() || !parsed->is_object()) {
    return InvalidArgument("the publisher's status is damaged");
  }
  const Json& json = *parsed;
  PublisherStats s;
  Take(json, "epoch", &s.epoch);
  Take(json, "version", &s.version);
  Take(json, "step", &s.step);
  Take(json, "time_nanos", &s.time_nanos);
  Take(json, "published", &s.published);
  Take(json, "skipped", &s.skipped);
  Take(json, "bytes_copied", &s.bytes_copied);
  Take(json, "bytes_in_use", &s.bytes_in_use);
  Take(json, "readers", &s.readers);
  Take(json, "oldest_in_use", &s.oldest_in_use);
  if (const auto labels = json.find("labels"); labels != json.end() && labels->is_object()) {
    for (const auto& [name, version] : labels->items()) {
      if (version.is_number_unsigned()) s.labels[name] = version.get<uint64_t>();
    }
  }
  return s;
}

}  // namespace ramet
