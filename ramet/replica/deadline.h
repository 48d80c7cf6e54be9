#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace ramet {

// Returns the milliseconds until `deadline`, rounded up, as poll() takes them: at least 0 and at
// most 2^30.
inline int MillisUntil(std::chrono::steady_clock::time_point deadline) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<int64_t>(left.count(), 0, int64_t{1} << 30));
}

}  // namespace ramet
