#include "ramet/backends/gpu/memory/caching_allocator.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "ramet/tensor/memory_owners.h"

namespace ramet::gpu {
namespace {

constexpr size_t kMinBlockBytes = 256;
// A run gets a new block rather than one that it has used, up to this number of bytes for a size
// in the life of the allocator.
constexpr size_t kMaxFreshBytes = size_t{8} << 20;

// Returns an address that no other buffer has, outside the canonical ranges of x86-64 and the user
// ranges of arm64.
void* NextAddress() {
  static std::atomic<uint64_t> last = 0;
  constexpr uint64_t kUnmappable = uint64_t{1} << 62;
  constexpr uint64_t kNumberBits = (uint64_t{1} << 54) - 1;
  return reinterpret_cast<void*>(kUnmappable | (++last & kNumberBits) << 6);
}

// Returns a line of the table of owners, without a line feed.
std::string TableLine(uint64_t bytes, std::string_view text) {
  const std::string number = std::to_string(bytes);
  return StrCat(std::string(number.size() < 14 ? 14 - number.size() : 0, ' '), number, "  ", text);
}

// Returns a table of what holds the memory, one owner a line, the largest first.
std::string TableOf(const std::vector<MemoryOwner>& owners, const CachingAllocator::Usage& usage) {
  constexpr size_t kMaxOwners = 10;
  std::vector<std::string> lines = {"         bytes  held by"};
  MemoryOwner others;
  for (size_t i = 0; i < owners.size(); ++i) {
    const MemoryOwner& owner = owners[i];
    if (i < kMaxOwners) {
      const std::string count = owner.buffers == 1 ? "" : StrCat(", ", owner.buffers, " tensors");
      lines.push_back(TableLine(owner.bytes, owner.name + count));
    } else {
      others.bytes += owner.bytes;
      ++others.buffers;
    }
  }
  if (others.buffers > 0)
    lines.push_back(TableLine(others.bytes, StrCat(others.buffers, " others")));
  lines.push_back(TableLine(usage.kept, "freed blocks, kept for later tensors"));
  return StrJoin(lines, "\n");
}

}  // namespace

size_t BlockSize(size_t bytes) {
  const size_t least = std::max(bytes, kMinBlockBytes);
  const size_t step = std::max(kMinBlockBytes, std::bit_floor(least) / 8);
  return (least + step - 1) / step * step;
}

GpuBuffer::GpuBuffer(size_t size, std::unique_ptr<DriverMemory> block, const DeviceMemory* memory,
                     bool borrowed)
    : Buffer(NextAddress(), size, memory, borrowed), block_(std::move(block)) {}

// A buffer whose block goes back to the allocator.
class CachingAllocator::Block final : public GpuBuffer {
 public:
  Block(size_t size, std::unique_ptr<DriverMemory> block, size_t block_size,
        CachingAllocator& allocator)
      : GpuBuffer(size, std::move(block), allocator.memory_),
        block_size_(block_size),
        allocator_(allocator) {}

 private:
  void Dispose() override {
    MemoryOwners::Global().Remove(*this);
    allocator_.Free(TakeBlock(), block_size_);
    delete this;
  }
  const size_t block_size_;
  CachingAllocator& allocator_;
};

CachingAllocator::CachingAllocator(std::string name, DriverDevice& device,
                                   const DeviceMemory* memory, uint64_t limit_bytes,
                                   std::function<void()> before_release)
    : name_(std::move(name)),
      device_(device),
      memory_(memory),
      before_release_(std::move(before_release)) {
  usage_.limit = limit_bytes;
}

StatusOr<BufferPtr> CachingAllocator::Allocate(size_t bytes) {
  MutexLock lock(mutex_);
  if (bytes > usage_.limit) return OutOfMemory(bytes, OkStatus());
  const size_t size = BlockSize(bytes);
  auto block = TakeBlock(size);
  if (!block.ok()) return OutOfMemory(bytes, block.status());
  NoteInUse(size);
  auto* const buffer = new Block(bytes, *std::move(block), size, *this);
  MemoryOwners::Global().Add(*buffer, size);
  return BufferPtr::Adopt(buffer);
}

void CachingAllocator::EndPeriod() {
  MutexLock lock(mutex_);
  has_ended_ = true;
}

bool CachingAllocator::Reuses(size_t size, SizeClass& blocks) {
  if (blocks.free.empty()) return false;
  return was_full_ || blocks.free.HasEarlier(period_) ||
         (blocks.fresh + 1) * size > kMaxFreshBytes ||
         usage_.in_use + usage_.kept + size > usage_.limit;
}

StatusOr<std::unique_ptr<DriverMemory>> CachingAllocator::TakeBlock(size_t size) {
  if (std::exchange(has_ended_, false)) ++period_;
  SizeClass& blocks = sizes_[size];
  if (Reuses(size, blocks)) {
    usage_.kept -= size;
    return blocks.free.Take(period_);
  }
  if (usage_.in_use + usage_.kept + size > usage_.limit) ReleaseKept();
  if (usage_.in_use + size > usage_.limit) return ResourceExhausted("the limit is reached");
  auto block = device_.Allocate(size);
  if (!block.ok() && !blocks.free.empty()) {
    was_full_ = true;
    usage_.kept -= size;
    return blocks.free.Take(period_);
  }
  if (!block.ok() && usage_.kept > 0) {
    ReleaseKept();
    block = device_.Allocate(size);
  }
  if (block.ok()) ++blocks.fresh;
  return block;
}

void CachingAllocator::NoteInUse(size_t size) {
  usage_.in_use += size;
  usage_.peak = std::max(usage_.peak, usage_.in_use);
}

StatusOr<std::unique_ptr<DriverSharedMemory>> CachingAllocator::AllocateShared(size_t bytes) {
  MutexLock lock(mutex_);
  if (usage_.in_use > usage_.limit || bytes > usage_.limit - usage_.in_use) {
    return OutOfMemory(bytes, OkStatus());
  }
  auto shared = device_.AllocateShared(bytes);
  if (IsResourceExhausted(shared.status()) && usage_.kept > 0) {
    ReleaseKept();
    shared = device_.AllocateShared(bytes);
  }
  if (shared.ok()) NoteInUse((*shared)->size());
  return shared;
}

void CachingAllocator::ReleaseShared(std::unique_ptr<DriverSharedMemory> shared) {
  const size_t size = shared->size();
  shared.reset();
  MutexLock lock(mutex_);
  usage_.in_use -= size;
}

void CachingAllocator::ReleaseKept() {
  if (usage_.kept == 0) return;
  if (before_release_) before_release_();
  was_full_ = true;
  for (auto& [size, blocks] : sizes_) {
    while (!blocks.free.empty()) blocks.free.Take(period_);
  }
  usage_.kept = 0;
}

void CachingAllocator::Free(std::unique_ptr<DriverMemory> block, size_t size) {
  MutexLock lock(mutex_);
  usage_.in_use -= size;
  usage_.kept += size;
  sizes_[size].free.Add(std::move(block), period_);
}

Status CachingAllocator::OutOfMemory(size_t bytes, const Status& cause) const {
  const uint64_t left = usage_.limit - std::min(usage_.limit, usage_.in_use);
  return ResourceExhausted("out of memory on ", name_, " (", device_.info().name, "): ", bytes,
                           " bytes were requested, but ", usage_.in_use, " of ", usage_.limit,
                           " are in use", cause.ok() ? "" : StrCat(" (", cause.message(), ")"),
                           ", ", left, " are free; use smaller batches, close other sessions, or ",
                           "raise per_process_gpu_memory_fraction\n",
                           TableOf(MemoryOwners::Global().OwnersIn(memory_), usage_));
}

CachingAllocator::Usage CachingAllocator::usage() const {
  MutexLock lock(mutex_);
  return usage_;
}

}  // namespace ramet::gpu
