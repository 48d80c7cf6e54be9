#pragma once

#include <cstdint>

#include "ramet/base/export.h"

namespace ramet {

class Allocator;

// Returns the pool of host memory. It keeps up to 1 GiB of freed blocks in free lists by size
// class, so that a program in its steady state allocates nothing from the system. Never destroyed.
RAMET_EXPORT Allocator* HostAllocator();

// Statistics of the host's pool. Only requests to the system count as system_allocations.
struct HostAllocatorStats {
  int64_t system_allocations = 0;
  int64_t bytes_in_use = 0;
  int64_t bytes_cached = 0;
};
RAMET_EXPORT HostAllocatorStats GetHostAllocatorStats();

}  // namespace ramet
