#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ramet {

// Work on rows that lie anywhere in a large table waits for memory and for the pages' addresses,
// for each row anew. So that many rows wait together, those that come so much later are asked for;
// of long rows only the heads: the processor itself sees the rest coming.
inline constexpr int64_t kRowsAhead = 8;
inline constexpr int64_t kPrefetchedBytes = 1024;

// Asks for the beginning of `bytes` bytes that will soon be written (and read, perhaps).
inline void PrefetchToWrite(const void* data, int64_t bytes) {
  const auto* line = static_cast<const char*>(data);
  for (int64_t at = 0; at < std::min(bytes, kPrefetchedBytes); at += 64) {
    __builtin_prefetch(line + at, 1);
  }
}

// The same for what will be read only.
inline void PrefetchToRead(const void* data, int64_t bytes) {
  const auto* line = static_cast<const char*>(data);
  for (int64_t at = 0; at < std::min(bytes, kPrefetchedBytes); at += 64) {
    __builtin_prefetch(line + at, 0);
  }
}

}  // namespace ramet
