#include "ramet/graph/device_name.h"

#include <algorithm>
#include <cctype>

namespace ramet {
namespace {

std::string Upper(std::string_view s) {
  std::string upper(s);
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
  return upper;
}

bool ParseNumber(std::string_view text, std::optional<int>* number) {
  if (text == "*") {
    number->reset();
    return true;
  }
  int64_t value;
  if (!ParseInt64(text, &value) || value < 0 || value > 1'000'000) return false;
  *number = static_cast<int>(value);
  return true;
}

Status Unreadable(std::string_view item, std::string_view text) {
  return InvalidArgument(
      "Unknown attribute '", item, "' is encountered while parsing the device spec: '", text,
      "'; device strings look like /job:worker/replica:0/task:0/device:CPU:0 or /cpu:0");
}

}  // namespace

StatusOr<DeviceName> DeviceName::Parse(std::string_view text) {
  DeviceName name;
  for (std::string_view item : StrSplit(text, '/')) {
    if (item.empty()) continue;
    std::vector<std::string_view> parts = StrSplit(item, ':');
    std::string key = Upper(parts[0]);
    bool ok = parts.size() == 2;
    std::string type;
    std::string_view index = "*";
    if (key == "JOB") {
      if (ok && parts[1] != "*") name.job = std::string(parts[1]);
    } else if (key == "REPLICA") {
      ok = ok && ParseNumber(parts[1], &name.replica);
    } else if (key == "TASK") {
      ok = ok && ParseNumber(parts[1], &name.task);
    } else if (key == "DEVICE") {
      ok = parts.size() == 2 || parts.size() == 3;
      if (ok) type = std::string(parts[1]);
      if (parts.size() == 3) index = parts[2];
    } else if (key == "CPU" || key == "GPU") {
      ok = parts.size() <= 2;
      type = key;
      if (parts.size() == 2) index = parts[1];
    } else {
      ok = false;
    }
    if (!ok) return Unreadable(parts[0], text);
    if (type.empty()) continue;
    if (name.type) {
      return InvalidArgument(
          "Multiple device types are not allowed while parsing the device spec: '", text, "'");
    }
    if (std::string upper = Upper(type); upper == "CPU" || upper == "GPU") type = upper;
    if (type != "*") name.type = type;
    if (!ParseNumber(index, &name.index)) return Unreadable(index, text);
  }
  return name;
}

std::string DeviceName::ToString() const {
  std::string text;
  if (job) text += StrCat("/job:", *job);
  if (replica) text += StrCat("/replica:", *replica);
  if (task) text += StrCat("/task:", *task);
  if (type) text += StrCat("/device:", *type, ":", index ? StrCat(*index) : "*");
  return text;
}

DeviceName DeviceName::MergedUnder(const DeviceName& outer) const {
  DeviceName merged = *this;
  if (!merged.job) merged.job = outer.job;
  if (!merged.replica) merged.replica = outer.replica;
  if (!merged.task) merged.task = outer.task;
  if (!merged.type) merged.type = outer.type;
  if (!merged.index) merged.index = outer.index;
  return merged;
}

bool DeviceName::Satisfies(const DeviceName& wanted) const {
  auto fits = [](const auto& have, const auto& want) { return !want || have == want; };
  return fits(job, wanted.job) && fits(replica, wanted.replica) && fits(task, wanted.task) &&
         fits(type, wanted.type) && fits(index, wanted.index);
}

}  // namespace ramet
