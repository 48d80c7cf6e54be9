#include "memory_meter.h"

#include <algorithm>

#if defined(RAMET_SANITIZE)
#include <sanitizer/allocator_interface.h>

#include <atomic>
#else
#include <fstream>
#include <string>
#endif

namespace ramet::fuzz {

#if defined(RAMET_SANITIZE)

namespace {

std::atomic<size_t> live, peak;

void OnAllocate(const volatile void*, size_t size) {
  const size_t now = live.fetch_add(size) + size;
  for (size_t before = peak; before < now && !peak.compare_exchange_weak(before, now);) {
  }
}

void OnFree(const volatile void* p) {
  if (p != nullptr) live -= __sanitizer_get_allocated_size(p);
}

size_t Start() {
  static const int installed = __sanitizer_install_malloc_and_free_hooks(OnAllocate, OnFree);
  static_cast<void>(installed);
  live = size_t{1} << 40;  // offset: earlier allocations may be freed
  peak = live.load();
  return live;
}

size_t Peak() { return peak; }

}  // namespace

#else

namespace {

// Returns the peak resident memory since Start.
size_t Peak() {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;) {
    size_t kib = 0;
    if (word == "VmHWM:" && file >> kib) return kib << 10;
  }
  return 0;
}

size_t Start() {
  std::ofstream("/proc/self/clear_refs") << "5";
  return Peak();
}

}  // namespace

#endif

MemoryMeter::MemoryMeter() : start_(Start()) {}

size_t MemoryMeter::PeakBytes() const { return std::max(Peak(), start_) - start_; }

}  // namespace ramet::fuzz
