#include "ramet/tensor/host_allocator.h"

#include <sys/mman.h>

#include <array>
#include <bit>
#include <cstdlib>
#include <new>
#include <utility>

#include "ramet/base/mutex.h"
#include "ramet/tensor/available_memory.h"
#include "ramet/tensor/buffer.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RAMET_ADDRESS_SANITIZER 1
#endif
#endif
#if defined(RAMET_ADDRESS_SANITIZER) || defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

namespace ramet {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kMinClassBytes = 64;
constexpr size_t kCacheLimit = size_t{1} << 30;
constexpr size_t kLargePage = size_t{2} << 20;
constexpr size_t kLargeBlock = 2 * kLargePage;

// Four classes per power of two from 64 bytes up, so that at most a quarter of a block is unused.
int SizeClass(size_t bytes) {
  if (bytes <= kMinClassBytes) return 0;
  const int log = std::bit_width(bytes - 1) - 1;
  const size_t step = (size_t{1} << log) / 4;
  const int quarter = static_cast<int>((bytes - 1 - (size_t{1} << log)) / step);
  return (log - 6) * 4 + quarter + 1;
}

size_t ClassBytes(int size_class) {
  if (size_class == 0) return kMinClassBytes;
  const int log = (size_class - 1) / 4 + 6;
  return (size_t{1} << log) + ((size_class - 1) % 4 + 1) * ((size_t{1} << log) / 4);
}

constexpr int kNumClasses = (47 - 6) * 4 + 1;

class Pool;

class PooledBuffer final : public Buffer {
 public:
  PooledBuffer(void* data, size_t size, Pool* pool, int size_class)
      : Buffer(data, size, nullptr), pool_(pool), size_class_(size_class) {}
  void Reuse(size_t size) { Reset(size); }
  int size_class() const { return size_class_; }
  // The next one of a free list, so that returning a buffer allocates nothing.
  PooledBuffer* next_free = nullptr;

 private:
  void Dispose() override;
  Pool* pool_;
  int size_class_;
};

// Tells the address sanitizer that only the first `used` of `size` bytes may be accessed, and not a
// cached block or the rest of a size class.
void Guard(void* data, size_t used, size_t size) {
  ASAN_UNPOISON_MEMORY_REGION(data, used);
  ASAN_POISON_MEMORY_REGION(static_cast<char*>(data) + used, size - used);
}

constexpr size_t RoundUp(size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

constexpr size_t kHeader = RoundUp(sizeof(PooledBuffer));

// Allocates from the system. Large blocks use huge pages if the system has them.
void* SystemBlock(size_t bytes) {
  if (bytes < kLargeBlock) return std::aligned_alloc(kAlignment, RoundUp(bytes));
  const size_t size = (bytes + kLargePage - 1) / kLargePage * kLargePage;
  void* block = std::aligned_alloc(kLargePage, size);
#if defined(MADV_HUGEPAGE)
  if (block != nullptr) madvise(block, size, MADV_HUGEPAGE);
#endif
  return block;
}

class Pool final : public Allocator {
 public:
  std::string_view name() const override { return "host"; }

  StatusOr<BufferPtr> Allocate(size_t bytes) override {
    if (bytes > ClassBytes(kNumClasses - 1)) return OutOfMemory(bytes);
    RAMET_RETURN_IF_ERROR(CheckAvailable(bytes));
    const int size_class = SizeClass(bytes);
    if (PooledBuffer* cached = TakeCached(size_class)) {
      cached->Reuse(bytes);
      Guard(cached->data(), bytes, ClassBytes(size_class));
      return BufferPtr::Adopt(cached);
    }
    void* block = SystemBlock(kHeader + ClassBytes(size_class));
    if (block == nullptr) return OutOfMemory(bytes);
    CountSystemAllocation(size_class);
    void* data = static_cast<char*>(block) + kHeader;
    Guard(data, bytes, ClassBytes(size_class));
    return BufferPtr::Adopt(new (block) PooledBuffer(data, bytes, this, size_class));
  }

  void Return(PooledBuffer* buffer) {
    const size_t bytes = ClassBytes(buffer->size_class());
    Guard(buffer->data(), 0, bytes);
    {
      MutexLock lock(mutex_);
      stats_.bytes_in_use -= static_cast<int64_t>(bytes);
      if (static_cast<size_t>(stats_.bytes_cached) + bytes <= kCacheLimit) {
        stats_.bytes_cached += static_cast<int64_t>(bytes);
        buffer->next_free = std::exchange(free_[buffer->size_class()], buffer);
        return;
      }
    }
    Guard(buffer->data(), bytes, bytes);
    buffer->~PooledBuffer();
    std::free(buffer);
  }

  HostAllocatorStats stats() {
    MutexLock lock(mutex_);
    return stats_;
  }

 private:
  PooledBuffer* TakeCached(int size_class) {
    MutexLock lock(mutex_);
    PooledBuffer* const buffer = free_[size_class];
    if (buffer == nullptr) return nullptr;
    free_[size_class] = std::exchange(buffer->next_free, nullptr);
    const int64_t bytes = static_cast<int64_t>(ClassBytes(size_class));
    stats_.bytes_cached -= bytes;
    stats_.bytes_in_use += bytes;
    return buffer;
  }

  void CountSystemAllocation(int size_class) {
    MutexLock lock(mutex_);
    ++stats_.system_allocations;
    stats_.bytes_in_use += static_cast<int64_t>(ClassBytes(size_class));
  }

  static Status OutOfMemory(size_t bytes) {
    return ResourceExhausted("out of host memory: ", bytes, " bytes were requested");
  }

  Mutex mutex_;
  std::array<PooledBuffer*, kNumClasses> free_ RAMET_GUARDED_BY(mutex_) = {};
  HostAllocatorStats stats_ RAMET_GUARDED_BY(mutex_);
};

void PooledBuffer::Dispose() { pool_->Return(this); }

Pool* ThePool() {
  static Pool* const pool = new Pool;
  return pool;
}

}  // namespace

Allocator* HostAllocator() { return ThePool(); }

HostAllocatorStats GetHostAllocatorStats() { return ThePool()->stats(); }

}  // namespace ramet
