#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ramet {

// Accessing random rows of a large table stalls on memory and address translation for each row.
// Prefetching rows this far ahead overlaps the stalls (ramet_linalg_bench gather/*). Only the first
// kPrefetchedBytes of a row are prefetched; the processor's own prefetcher handles the rest.
inline constexpr int64_t kRowsAhead = 8;
inline constexpr int64_t kPrefetchedBytes = 1024;

// Prefetches the start of `bytes` bytes that will soon be written, and possibly read.
inline void PrefetchToWrite(const void* data, int64_t bytes) {
  const auto* line = static_cast<const char*>(data);
  for (int64_t at = 0; at < std::min(bytes, kPrefetchedBytes); at += 64) {
    __builtin_prefetch(line + at, 1);
  }
}

// Prefetches the start of `bytes` bytes that will only be read.
inline void PrefetchToRead(const void* data, int64_t bytes) {
  const auto* line = static_cast<const char*>(data);
  for (int64_t at = 0; at < std::min(bytes, kPrefetchedBytes); at += 64) {
    __builtin_prefetch(line + at, 0);
  }
}

}  // namespace ramet
