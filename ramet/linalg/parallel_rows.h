#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "ramet/base/prefetch.h"
#include "ramet/linalg/parallel.h"

namespace ramet::linalg {

// Assigns the rows of a table to the threads of a team. Rows that share a cache line, or a group of
// `group_size` (a power of two) rows, are in the same lane.
class RowLanes {
 public:
  // For `count` rows of `row_bytes` bytes each. Uses one lane if a team would not pay.
  RowLanes(int64_t count, int64_t row_bytes, int64_t group_size = 1) {
    const int64_t worth = std::min(count * row_bytes / kMinLaneBytes, count / kMinLaneRows);
    if (worth > 1) lanes_ = static_cast<uint32_t>(std::min<int64_t>(worth, IntraOpThreads()));
    const int64_t in_line = 64 / std::clamp<int64_t>(row_bytes, 1, 64);
    shift_ = std::bit_width(static_cast<uint64_t>(std::max(group_size, in_line))) - 1;
  }
  static RowLanes One() { return RowLanes(0, 0); }

  int64_t count() const { return lanes_; }
  int64_t Of(int64_t row) const {
    const auto spread = static_cast<uint32_t>(static_cast<uint64_t>(row) >> shift_) * 2654435769u;
    return static_cast<int64_t>((uint64_t{spread} * lanes_) >> 32);
  }

 private:
  // Work that justifies a thread (ramet_replica_bench sparse_1gb).
  static constexpr int64_t kMinLaneBytes = 32 << 10, kMinLaneRows = 16;
  uint32_t lanes_ = 1;
  int shift_ = 0;
};

// Calls fn(i) for each i in [0, count), where fn changes row row_of(i) of a table. Calls for the
// same row are in the order of i; rows of different lanes are processed in parallel on the calling
// thread's team. The result does not depend on the number of lanes if fn(i) accesses only its own
// row. `prefetch(i)` prefetches what fn(i) needs, kRowsAhead calls earlier. Neither may throw.
// Allocates nothing.
template <class RowOf, class Prefetch, class Fn>
void ParallelForRows(const RowLanes& lanes, int64_t count, const RowOf& row_of,
                     const Prefetch& prefetch, const Fn& fn) {
  ParallelFor(lanes.count(), 1, [&](int64_t first, int64_t last) {
    const auto is_mine = [&](int64_t i) {
      if (last - first == lanes.count()) return true;
      const int64_t lane = lanes.Of(row_of(i));
      return first <= lane && lane < last;
    };
    int64_t ahead = 0, asked_for = 0;
    for (int64_t i = 0; i < count; ++i) {
      if (!is_mine(i)) continue;
      for (; ahead < count && asked_for <= kRowsAhead; ++ahead) {
        if (!is_mine(ahead)) continue;
        prefetch(ahead);
        ++asked_for;
      }
      --asked_for;
      fn(i);
    }
  });
}

}  // namespace ramet::linalg
