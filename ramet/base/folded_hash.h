#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace ramet {

// Returns a 32-bit hash for tables in memory. Its values differ between builds.
inline uint32_t FoldedHash(std::string_view text) {
  const uint64_t hash = std::hash<std::string_view>()(text);
  return static_cast<uint32_t>(hash ^ (hash >> 32));
}

}  // namespace ramet
