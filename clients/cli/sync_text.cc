#include "sync_text.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <type_traits>
#include <utility>
#include <vector>

#include "text.h"

namespace cli {
namespace {

namespace rm = ramet;

std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.4g", value);
  return text;
}

std::string StepText(int64_t step) { return step < 0 ? "" : rm::StrCat(" step ", step); }

std::string VersionsText(const std::vector<uint64_t>& versions) {
  return versions.empty() ? "none" : rm::StrJoin(versions, ", ");
}

std::string LabelsText(const std::map<std::string, uint64_t>& labels) {
  std::vector<std::string> all;
  for (const auto& [label, version] : labels) all.push_back(rm::StrCat(label, " v", version));
  return all.empty() ? "none" : rm::StrJoin(all, ", ");
}

std::string ReadersText(const rm::PublisherStats& stats) {
  const std::string readers = Count(stats.readers, "reader");
  if (stats.oldest_in_use == 0) return readers;
  const uint64_t behind = stats.version - std::min(stats.version, stats.oldest_in_use);
  if (behind == 0) return readers;
  return rm::StrCat(readers, ", the slowest at v", stats.oldest_in_use, " (", behind, " behind)");
}

// Converts a statistic: times to seconds, and an unknown step to null.
template <class T>
nlohmann::json StatJson(const rm::StatField& field, const T& value) {
  if constexpr (std::is_arithmetic_v<T>) {
    using Kind = rm::StatField::Kind;
    if (field.kind == Kind::kTime) return static_cast<double>(value) / 1e9;
    if (field.kind == Kind::kStep && value == static_cast<T>(-1)) return nullptr;
  }
  return value;
}

// Returns text such as "3.1 s ago".
std::string Ago(int64_t time_nanos) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const int64_t age = std::chrono::nanoseconds(now).count() - time_nanos;
  return Duration(std::max<int64_t>(age, 0)) + " ago";
}

std::string PublisherText(const std::string& address, const rm::ReplicaStatus& status) {
  const bool is_folder = IsFolderAddress(address);
  if (!status.connected && is_folder) return "none (a folder of checkpoints)";
  const std::string state = status.connected
                                ? Paint(is_folder ? "running" : "connected", Color::kGreen)
                                : Paint("gone", Color::kRed);
  return rm::StrCat(state, ", epoch ", status.epoch);
}

}  // namespace

bool IsFolderAddress(std::string_view address) { return address.starts_with("file:"); }

std::string Duration(int64_t nanos) {
  const double micros = static_cast<double>(nanos) / 1000;
  const auto text = [](double value, const char* unit) {
    char out[32];
    std::snprintf(out, sizeof(out), value < 9.95 ? "%.1f %s" : "%.0f %s", value, unit);
    return std::string(out);
  };
  if (micros < 999.5) return text(micros, "µs");
  if (micros < 999.5e3) return text(micros / 1e3, "ms");
  return text(micros / 1e6, "s");
}

std::string VersionText(const rm::VersionInfo& info) {
  std::string text = rm::StrCat("v", info.id.version);
  if (info.rollback_to != 0) text += rm::StrCat(" (rollback to v", info.rollback_to, ")");
  text += StepText(info.id.step);
  for (const auto& [name, value] : info.metrics) {
    text += rm::StrCat(" · ", Clean(name), " ", Number(value));
  }
  return text;
}

nlohmann::json VersionJson(const rm::VersionInfo& info) {
  nlohmann::json json = {{"version", info.id.version},
                         {"epoch", info.id.epoch},
                         {"time", static_cast<double>(info.time_nanos) / 1e9},
                         {"metrics", info.metrics}};
  json["step"] = info.id.step < 0 ? nlohmann::json() : nlohmann::json(info.id.step);
  if (info.rollback_to != 0) json["rollback_to"] = info.rollback_to;
  return json;
}

std::string StatusLine(const rm::ReplicaStatus& status) {
  if (status.newest == 0) return rm::StrCat("no version yet · ", ReadersText(status.publisher));
  return rm::StrCat("v", status.newest, StepText(status.publisher.step), " · ",
                    ReadersText(status.publisher), " · ",
                    Bytes(static_cast<int64_t>(status.publisher.bytes_in_use)), " in use");
}

std::string StatusTable(const std::string& address, const rm::ReplicaStatus& status) {
  const rm::PublisherStats& stats = status.publisher;
  const std::string newest =
      status.newest == 0
          ? "none yet"
          : rm::StrCat("v", status.newest, StepText(stats.step), ", ", Ago(stats.time_nanos));
  const std::vector<std::pair<const char*, std::string>> rows = {
      {"publisher", PublisherText(address, status)},
      {"newest", newest},
      {"kept", VersionsText(status.versions)},
      {"labels", Clean(LabelsText(stats.labels))},
      {"readers", ReadersText(stats)},
      {"published", rm::StrCat(Count(static_cast<int64_t>(stats.published), "version"), ", ",
                               stats.skipped, " skipped")},
      {"memory", rm::StrCat(Bytes(static_cast<int64_t>(stats.bytes_in_use)), " in use, ",
                            Bytes(static_cast<int64_t>(stats.bytes_copied)), " copied so far")}};
  std::string text = Clean(address) + "\n";
  for (const auto& [name, value] : rows) {
    text +=
        rm::StrCat("  ", name, std::string(11 - std::string_view(name).size(), ' '), value, "\n");
  }
  return text;
}

nlohmann::json StatusJson(const std::string& address, const rm::ReplicaStatus& status) {
  nlohmann::json json;
  rm::ForEachStat(status.publisher, [&](const rm::StatField& field, const auto& value) {
    json[std::string(rm::NameInSeconds(field))] = StatJson(field, value);
  });
  json["address"] = address;
  json["connected"] = status.connected;
  json["epoch"] = status.epoch;
  json["version"] = status.newest;
  json["versions"] = status.versions;
  return json;
}

}  // namespace cli
