#pragma once

#include <chrono>
#include <cstdint>

namespace ramet {

// Returns nanoseconds since 1970 by the system clock, which can be set back.
inline int64_t WallClockNanos() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace ramet
