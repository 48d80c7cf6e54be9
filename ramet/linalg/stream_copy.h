#pragma once

#include <cstddef>

namespace ramet::linalg {

// Variables from this size on do not stay in a processor's own cache from one step to the next:
// they are worth writing past it.
inline constexpr size_t kStreamedBytes = size_t{2} << 20;

// Copies `bytes` bytes past the caches (which a large result would only be read into, line by line,
// before it is written). The two do not overlap; `to` is aligned to 16 bytes. What was copied is
// seen by another thread after StreamFence and what synchronises them.
void StreamCopy(void* to, const void* from, size_t bytes);
void StreamFence();

}  // namespace ramet::linalg
