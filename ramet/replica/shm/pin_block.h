#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "ramet/replica/shm/memory_file.h"

namespace ramet::shm {

// A PinBlock is the control block of a follower as its publisher reads it: the versions that the
// follower holds. Thread-safe.
class PinBlock {
 public:
  explicit PinBlock(MemoryFile control) : control_(std::move(control)) {}
  bool Holds(uint64_t version) const;
  // Returns the oldest version that the follower holds, or 0 if there is none.
  uint64_t Oldest() const;

 private:
  MemoryFile control_;
};

// DroppedPins are the control blocks of followers that were dropped. They still count for a while,
// because such followers may have runs in progress. Not thread-safe.
class DroppedPins {
 public:
  using Clock = std::chrono::steady_clock;
  // Adds a block that counts until `until`, unless it holds nothing. If there are `max` blocks, the
  // oldest one is removed.
  void Add(PinBlock block, Clock::time_point until, size_t max);
  // Removes blocks whose `until` has passed and those that hold nothing.
  void RemoveOverdue(Clock::time_point now);
  bool empty() const { return dropped_.empty(); }
  bool Holds(uint64_t version) const;
  uint64_t Oldest() const;

 private:
  struct Dropped {
    PinBlock block;
    Clock::time_point until;
  };
  std::vector<Dropped> dropped_;
};

// Returns the older of two versions, where 0 is none.
inline uint64_t Older(uint64_t a, uint64_t b) {
  if (a == 0 || b == 0) return a | b;
  return a < b ? a : b;
}

}  // namespace ramet::shm
