#include "ramet/linalg/scratch.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include "ramet/base/thread_storage.h"

namespace ramet::linalg {
namespace {

struct Free {
  void operator()(void* p) const { std::free(p); }
};

struct Area {
  std::unique_ptr<void, Free> memory;
  int64_t size = 0;
};

RAMET_THREAD_LOCAL(Area areas[kNumScratchUses]);

}  // namespace

void* Scratch(ScratchUse use, int64_t bytes) {
  Area& area = areas[static_cast<int>(use)];
  if (area.size < bytes || area.memory == nullptr) {
    const int64_t size = (std::max<int64_t>(bytes + bytes / 4, 4096) + 63) / 64 * 64;
    area.memory.reset();
    area.memory.reset(std::aligned_alloc(64, size));
    if (area.memory == nullptr) throw std::bad_alloc();
    area.size = size;
  }
  return area.memory.get();
}

}  // namespace ramet::linalg
