#pragma once

#include <chrono>
#include <cstdint>

namespace ramet {

// Nanoseconds since 1970, by the machine's clock, which can be set.
inline int64_t WallClockNanos() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace ramet
