#include "ramet/replica/shm/shared_pool.h"

#include <algorithm>

#include "ramet/base/strings.h"
#include "ramet/replica/shm/layout.h"

namespace ramet::shm {
namespace {

constexpr uint64_t kMinSegmentBytes = uint64_t{1} << 20;

}  // namespace

// A fixed piece of a segment, which is reused for buffers of the same rounded size.
class SharedPool::Block final : public Buffer {
 public:
  Block(char* data, size_t rounded, SharedPool* pool, PoolPosition position)
      : Buffer(data, rounded, nullptr), pool_(pool), rounded_(rounded), position_(position) {}
  void Begin(size_t size, std::shared_ptr<SharedPool> owner) {
    Reset(size);
    owner_ = std::move(owner);
  }
  uint64_t rounded() const { return rounded_; }
  const PoolPosition& position() const { return position_; }
  const SharedPool* pool() const { return pool_; }

 private:
  friend class SharedPool;
  void Dispose() override { pool_->Return(this); }
  SharedPool* const pool_;
  const uint64_t rounded_;
  const PoolPosition position_;
  std::shared_ptr<SharedPool> owner_;  // set while the block is in use
};

std::shared_ptr<SharedPool> SharedPool::Create(std::string name, uint64_t limit, uint64_t segment) {
  return std::shared_ptr<SharedPool>(new SharedPool(std::move(name), limit, segment));
}

SharedPool::SharedPool(std::string name, uint64_t limit, uint64_t segment)
    : name_(std::move(name)), limit_(limit), segment_(std::max(segment, kMinSegmentBytes)) {}
SharedPool::~SharedPool() = default;

uint64_t SharedPool::RoundedBytes(size_t bytes) {
  const uint64_t unit = bytes >= kPageBytes ? kPageBytes : kValueAlignment;
  return std::max<uint64_t>(unit, (bytes + unit - 1) / unit * unit);
}

StatusOr<BufferPtr> SharedPool::Allocate(size_t bytes) {
  if (bytes > limit_) {
    return ResourceExhausted("cannot publish a value of ", bytes, " bytes: the limit for ",
                             "shared memory is ", limit_, " bytes; raise max_bytes");
  }
  const uint64_t rounded = RoundedBytes(bytes);
  MutexLock lock(mutex_);
  Block* block = nullptr;
  if (auto size = by_size_.find(rounded); size != by_size_.end() && !size->second.free.empty()) {
    block = size->second.free.back();
    size->second.free.pop_back();
  } else {
    RAMET_ASSIGN_OR_RETURN(block, Cut(rounded));
  }
  block->Begin(bytes, shared_from_this());
  return BufferPtr::Adopt(block);
}

StatusOr<SharedPool::Block*> SharedPool::Cut(uint64_t rounded) {
  const uint64_t unit = rounded >= kPageBytes ? kPageBytes : kValueAlignment;
  uint64_t offset = (bytes_.used + unit - 1) / unit * unit;
  if (segments_.empty() || offset + rounded > segments_.back()->size()) {
    RAMET_RETURN_IF_ERROR(AddSegment(rounded));
    offset = 0;
  }
  const PoolPosition position{static_cast<uint32_t>(segments_.size() - 1), offset};
  Blocks& of_size = by_size_[rounded];
  if (of_size.free.capacity() <= of_size.count) of_size.free.reserve(2 * of_size.count + 1);
  blocks_.push_back(
      std::make_unique<Block>(segments_.back()->data() + offset, rounded, this, position));
  ++of_size.count;
  bytes_.used = offset + rounded;
  return blocks_.back().get();
}

Status SharedPool::Reserve(uint64_t bytes) {
  MutexLock lock(mutex_);
  if (!segments_.empty() && bytes_.used + bytes <= segments_.back()->size()) return OkStatus();
  return AddSegment(bytes);
}

Status SharedPool::AddSegment(uint64_t bytes) {
  const uint64_t left = (limit_ - bytes_.total) / kPageBytes * kPageBytes;
  const uint64_t wanted = std::max(bytes, std::min(segment_, left));
  const uint64_t size = (wanted + kPageBytes - 1) / kPageBytes * kPageBytes;
  if (size > left) {
    return ResourceExhausted(
        "the limit of ", limit_, " bytes of shared memory is reached: ", bytes_.total,
        " are in use and ", size, " more are needed; raise max_bytes, or retain fewer versions");
  }
  RAMET_ASSIGN_OR_RETURN(MemoryFile segment, MemoryFile::Create(StrCat("ramet ", name_), size,
                                                                MemoryFile::Access::kOwnerWrites));
  segments_.push_back(std::make_shared<MemoryFile>(std::move(segment)));
  num_segments_.store(segments_.size(), std::memory_order_release);
  bytes_.used = 0;
  bytes_.total += size;
  return OkStatus();
}

void SharedPool::Return(Block* block) {
  std::shared_ptr<SharedPool> owner = std::move(block->owner_);
  MutexLock lock(mutex_);
  by_size_.find(block->rounded())->second.free.push_back(block);
}

bool SharedPool::Find(const Buffer* buffer, PoolPosition* position) const {
  const auto* block = dynamic_cast<const Block*>(buffer);
  if (block == nullptr || block->pool() != this) return false;
  *position = block->position();
  return true;
}

std::vector<SharedPool::Segment> SharedPool::Segments() const {
  MutexLock lock(mutex_);
  std::vector<Segment> segments;
  for (const auto& file : segments_) segments.push_back({file->fd(), file->size()});
  return segments;
}

// Allocate does not wait for the driver.
void SharedPool::RegisterWith(const DeviceMemory& memory) {
  std::vector<std::shared_ptr<MemoryFile>> segments;
  {
    MutexLock lock(mutex_);
    segments = segments_;
  }
  registrations_.Register(memory, segments);
}

uint64_t SharedPool::bytes_in_segments() const {
  MutexLock lock(mutex_);
  return bytes_.total;
}

}  // namespace ramet::shm
