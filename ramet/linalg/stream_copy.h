#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ramet::linalg {

// From this size on, a variable does not stay in a core's own cache until the next step, so writing
// it with non-temporal stores pays (ramet_linalg_bench gradient_descent_out_of_place/*).
inline constexpr size_t kStreamedBytes = size_t{2} << 20;

// Results are computed and then copied in blocks of this size, so that reading the next block
// overlaps with writing this one (docs/decisions/0075-streamed-updates.md).
inline constexpr int64_t kStreamBlockBytes = 4096;

// The maximum number of addresses that StreamCopy prefetches from.
inline constexpr size_t kMaxPrefetched = 4;

// Copies `bytes` bytes with non-temporal stores, which avoid reading the destination into the cache
// before writing it. The ranges must not overlap; `to` must be aligned to 16 bytes. Another thread
// sees the copy after StreamFence and the usual synchronization. Meanwhile prefetches as many bytes
// at each of the first kMaxPrefetched addresses in `next`, which need not be valid.
void StreamCopy(void* to, const void* from, size_t bytes, std::span<const char* const> next = {});
void StreamFence();

}  // namespace ramet::linalg
