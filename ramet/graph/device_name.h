#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ramet/base/export.h"
#include "ramet/base/status.h"

namespace ramet {

// A DeviceName is a device string taken apart: "/job:worker/replica:0/task:1/device:GPU:0". Parts
// that are not there are unset; an index of "*" is unset too.
struct RAMET_EXPORT DeviceName {
  std::optional<std::string> job;
  std::optional<int> replica, task;
  std::optional<std::string> type;  // "CPU"
  std::optional<int> index;

  // Reads "/cpu:0", "/device:GPU:1", "gpu:0", "/job:ps/task:0/cpu:*", ...
  // \error kInvalidArgument "Unknown attribute 'foo' is encountered while parsing the device spec:
  // ..."
  static StatusOr<DeviceName> Parse(std::string_view text);
  // Canonical: "/job:J/replica:R/task:T/device:TYPE:I", missing parts left out, unknown index "*".
  std::string ToString() const;
  // What is set here, and where it is not, what is set in `outer` (spec: graph-semantics 3).
  DeviceName MergedUnder(const DeviceName& outer) const;
  // Whether a device of this full name satisfies what `wanted` asks for.
  bool Satisfies(const DeviceName& wanted) const;
};

}  // namespace ramet
