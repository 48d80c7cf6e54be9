#include "failing_new.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<int64_t> failing = -1;
std::atomic<int64_t> allocations = 0;

void* Allocate(size_t size, size_t alignment) {
  const int64_t at = failing.load(std::memory_order_relaxed);
  if (at >= 0 && allocations.fetch_add(1) + 1 == at) throw std::bad_alloc();
  void* p = nullptr;
  if (posix_memalign(&p, alignment, size > 0 ? size : 1) == 0) return p;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(size_t size) { return Allocate(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__); }
void* operator new(size_t size, std::align_val_t alignment) {
  return Allocate(size, static_cast<size_t>(alignment));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { std::free(p); }

namespace ramet::faults {

void FailAllocation(int64_t at) {
  if (at >= 0) allocations = 0;
  failing = at;
}

int64_t Allocations() { return allocations; }

}  // namespace ramet::faults
