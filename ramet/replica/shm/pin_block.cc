#include "ramet/replica/shm/pin_block.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "ramet/replica/shm/layout.h"

namespace ramet::shm {
namespace {

const ControlBlock& BlockOf(const MemoryFile& control) {
  return *reinterpret_cast<const ControlBlock*>(control.data());
}

}  // namespace

bool PinBlock::Holds(uint64_t version) const {
  return std::ranges::any_of(BlockOf(control_).pins, [&](const std::atomic<uint64_t>& pin) {
    return pin.load(std::memory_order_seq_cst) == version;
  });
}

uint64_t PinBlock::Oldest() const {
  uint64_t oldest = 0;
  for (const std::atomic<uint64_t>& pin : BlockOf(control_).pins) {
    oldest = Older(oldest, pin.load(std::memory_order_relaxed));
  }
  return oldest;
}

void DroppedPins::Add(PinBlock block, Clock::time_point until, size_t max) {
  if (block.Oldest() == 0) return;
  if (dropped_.size() == max) dropped_.erase(dropped_.begin());
  dropped_.push_back({std::move(block), until});
}

void DroppedPins::RemoveOverdue(Clock::time_point now) {
  std::erase_if(dropped_, [now](const Dropped& dropped) {
    return now >= dropped.until || dropped.block.Oldest() == 0;
  });
}

bool DroppedPins::Holds(uint64_t version) const {
  return std::ranges::any_of(
      dropped_, [version](const Dropped& dropped) { return dropped.block.Holds(version); });
}

uint64_t DroppedPins::Oldest() const {
  uint64_t oldest = 0;
  for (const Dropped& dropped : dropped_) oldest = Older(oldest, dropped.block.Oldest());
  return oldest;
}

}  // namespace ramet::shm
