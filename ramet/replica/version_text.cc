#include "ramet/replica/version_text.h"

#include <cmath>
#include <limits>

#include "ramet/base/json.h"
#include "ramet/replica/stats_fields.h"

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

void Take(const Json& json, const char* name, std::map<std::string, uint64_t>* numbers) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_object()) return;
  for (const auto& [key, number] : found->items()) {
    if (number.is_number_unsigned()) (*numbers)[key] = number.get<uint64_t>();
  }
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

std::string PublisherStatsToText(const PublisherStats& stats) {
  Json json = Json::object();
  ForEachStat(stats, [&](const StatField& field, const auto& value) {
    json[std::string(field.name)] = value;
  });
  return PrintJson(json);
}

StatusOr<PublisherStats> PublisherStatsFromText(std::string_view text) {
  const StatusOr<Json> json = ParseJson(text);
  if (!json.ok() || !json->is_object()) {
    return InvalidArgument("the publisher's status is damaged");
  }
  PublisherStats stats;
  ForEachStat(stats, [&](const StatField& field, auto& value) {
    Take(*json, std::string(field.name).c_str(), &value);
  });
  return stats;
}

}  // namespace ramet
