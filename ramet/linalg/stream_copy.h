#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ramet::linalg {

// Variables from this size on do not stay in a processor's own cache from one step to the next:
// they are worth writing past it.
inline constexpr size_t kStreamedBytes = size_t{2} << 20;

// Results are calculated and then copied in blocks of this size, so that reading for the next block
// and writing of this one go on at once (docs/decisions/0075-streamed-updates.md).
inline constexpr int64_t kStreamBlockBytes = 4096;

// How many places StreamCopy fetches from.
inline constexpr size_t kMostFetched = 4;

// Copies `bytes` bytes past the caches (which a large result would only be read into, line by line,
// before it is written). The two do not overlap; `to` is aligned to 16 bytes. What was copied is
// seen by another thread after StreamFence and what synchronises them. As many bytes at each of
// `next` (the first kMostFetched of them) are fetched meanwhile; they need not exist.
void StreamCopy(void* to, const void* from, size_t bytes, std::span<const char* const> next = {});
void StreamFence();

}  // namespace ramet::linalg
