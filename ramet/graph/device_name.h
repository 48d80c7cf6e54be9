#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ramet/base/export.h"
#include "ramet/base/status.h"

namespace ramet {

// A DeviceName is a parsed device string: "/job:worker/replica:0/task:1/device:GPU:0". Missing
// parts are unset, and so is an index of "*".
struct RAMET_EXPORT DeviceName {
  std::optional<std::string> job;
  std::optional<int> replica, task;
  std::optional<std::string> type;  // "CPU"
  std::optional<int> index;

  // Parses "/cpu:0", "/device:GPU:1", "gpu:0", "/job:ps/task:0/cpu:*", ...
  // \error kInvalidArgument: "Unknown attribute 'foo' is encountered while parsing the device spec:
  //   ..."
  static StatusOr<DeviceName> Parse(std::string_view text);
  // Returns the canonical form "/job:J/replica:R/task:T/device:TYPE:I". Missing parts are omitted;
  // an unknown index is "*".
  std::string ToString() const;
  // Returns this name with unset parts taken from `outer`.
  DeviceName MergedUnder(const DeviceName& outer) const;
  // Reports whether the device with this full name satisfies `wanted`.
  bool Satisfies(const DeviceName& wanted) const;
};

}  // namespace ramet
