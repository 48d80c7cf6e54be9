#include "ramet/backends/gpu/memory/free_blocks.h"

#include <algorithm>
#include <utility>

namespace ramet::gpu {
namespace {

bool IsNewer(const std::unique_ptr<DriverMemory>& a, const std::unique_ptr<DriverMemory>& b) {
  return a->id() > b->id();
}

}  // namespace

bool FreeBlocks::HasEarlier(uint64_t period) {
  Enter(period);
  return !earlier_.empty();
}

std::unique_ptr<DriverMemory> FreeBlocks::Take(uint64_t period) {
  Enter(period);
  std::unique_ptr<DriverMemory> block;
  if (earlier_.empty()) {
    block = std::move(recent_.front());
    recent_.pop_front();
  } else {
    std::ranges::pop_heap(earlier_, IsNewer);
    block = std::move(earlier_.back());
    earlier_.pop_back();
  }
  return block;
}

void FreeBlocks::Add(std::unique_ptr<DriverMemory> block, uint64_t period) {
  Enter(period);
  recent_.push_back(std::move(block));
}

void FreeBlocks::Enter(uint64_t period) {
  if (period == period_) return;
  period_ = period;
  for (; !recent_.empty(); recent_.pop_front()) {
    earlier_.push_back(std::move(recent_.front()));
    std::ranges::push_heap(earlier_, IsNewer);
  }
}

}  // namespace ramet::gpu
