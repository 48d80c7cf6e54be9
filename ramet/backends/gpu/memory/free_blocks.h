#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "ramet/backends/gpu/driver/driver.h"

namespace ramet::gpu {

// A FreeBlocks holds the free blocks of one size. Blocks that were freed before the current period
// come first, the oldest one first, so that the blocks of a run do not depend on the order in which
// earlier runs freed theirs. Blocks that were freed in the period come last, the one that was freed
// first before others: work that may still use them was enqueued the longest time ago.
class FreeBlocks {
 public:
  bool empty() const { return earlier_.empty() && recent_.empty(); }
  // Reports whether a block was freed before a period.
  bool HasEarlier(uint64_t period);
  std::unique_ptr<DriverMemory> Take(uint64_t period);
  void Add(std::unique_ptr<DriverMemory> block, uint64_t period);

 private:
  // Makes the blocks of other periods earlier ones.
  void Enter(uint64_t period);

  uint64_t period_ = 0;
  std::vector<std::unique_ptr<DriverMemory>> earlier_;  // a heap, the oldest block first
  std::deque<std::unique_ptr<DriverMemory>> recent_;    // in the order in which they were freed
};

}  // namespace ramet::gpu
