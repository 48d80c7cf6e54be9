#include "ramet/replica/shm/segment_map.h"

#include <cstring>

#include "ramet/base/strings.h"
#include "ramet/replica/interruptible_wait.h"
#include "ramet/replica/shm/layout.h"
#include "ramet/tensor/outside_values.h"

namespace ramet::shm {
namespace {

// A part of a segment that the publisher wrote. Keeps the segment mapped.
class MappedBuffer final : public Buffer {
 public:
  MappedBuffer(std::shared_ptr<const MemoryFile> segment, uint64_t offset, size_t size)
      : Buffer(segment->data() + offset, size, nullptr, /*borrowed=*/true),
        segment_(std::move(segment)) {}

 private:
  void Dispose() override { delete this; }
  const std::shared_ptr<const MemoryFile> segment_;
};

}  // namespace

Status SegmentMap::Add(uint64_t number, uint64_t bytes, FileDescriptor fd) {
  if (number != size() || number >= kMaxSegments) {
    return InvalidArgument("the publisher sent segment ", number, ", but segment ", size(),
                           " was expected");
  }
  RAMET_ASSIGN_OR_RETURN(MemoryFile file,
                         MemoryFile::Open(std::move(fd), bytes, MemoryFile::Access::kOwnerWrites));
  MutexLock lock(mutex_);
  segments_.push_back(std::make_shared<MemoryFile>(std::move(file)));
  changed_.NotifyAll();
  return OkStatus();
}

size_t SegmentMap::size() const {
  MutexLock lock(mutex_);
  return segments_.size();
}

bool SegmentMap::WaitFor(uint64_t number, std::chrono::steady_clock::time_point deadline) const {
  MutexLock lock(mutex_);
  while (segments_.size() <= number && !closed_) {
    if (WaitUnlessStopped(changed_, mutex_, deadline) != WaitEnd::kWoken) break;
  }
  return segments_.size() > number;
}

void SegmentMap::RegisterWith(const DeviceMemory& memory) {
  std::vector<std::shared_ptr<MemoryFile>> segments;
  {
    MutexLock lock(mutex_);
    segments = segments_;
  }
  registrations_.Register(memory, segments);
}

void SegmentMap::Close() {
  MutexLock lock(mutex_);
  closed_ = true;
  changed_.NotifyAll();
}

StatusOr<Tensor> SegmentMap::ValueAt(const Entry& entry, const VariableSpec& spec) const {
  RAMET_ASSIGN_OR_RETURN(const size_t bytes, TensorBytes(spec.dtype, spec.shape));
  std::shared_ptr<const MemoryFile> segment;
  {
    MutexLock lock(mutex_);
    if (entry.segment < segments_.size()) segment = segments_[entry.segment];
  }
  if (!segment || entry.offset % kValueAlignment != 0 || entry.offset > segment->size() ||
      bytes > segment->size() - entry.offset) {
    return DataLoss("'", spec.name, "' is said to be at byte ", entry.offset, " of segment ",
                    entry.segment, ", which is out of bounds");
  }
  if (MayStayShared(spec.dtype)) {
    return Tensor(spec.dtype, spec.shape,
                  BufferPtr::Adopt(new MappedBuffer(std::move(segment), entry.offset, bytes)));
  }
  RAMET_ASSIGN_OR_RETURN(Tensor copy, Tensor::Allocate(spec.dtype, spec.shape));
  std::memcpy(copy.raw_data(), segment->data() + entry.offset, bytes);
  NormalizeBools(&copy);
  return copy;
}

}  // namespace ramet::shm
