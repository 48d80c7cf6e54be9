#include "ramet/replica/shm/device_block_map.h"

#include <utility>

#include "ramet/base/log.h"
#include "ramet/base/strings.h"
#include "ramet/tensor/outside_values.h"

namespace ramet::shm {

Status DeviceBlockMap::Add(const DeviceNotice& notice, FileDescriptor fd) {
  MutexLock lock(mutex_);
  if (notice.number == 0 || blocks_.contains(notice.number) || blocks_.size() == kMaxBlocks) {
    return InvalidArgument("the publisher sent device memory with the number ", notice.number,
                           " after ", blocks_.size(), " others");
  }
  blocks_[notice.number] = {notice.key, notice.bytes, std::move(fd), nullptr};
  missing_.clear();
  changed_.NotifyAll();
  return OkStatus();
}

void DeviceBlockMap::Close() {
  MutexLock lock(mutex_);
  closed_ = true;
  changed_.NotifyAll();
}

bool DeviceBlockMap::IsNew(const std::string& key) {
  MutexLock lock(mutex_);
  return keys_.insert(key).second;
}

DeviceBlockMap::Block* DeviceBlockMap::WaitFor(uint32_t number) {
  const auto deadline = std::chrono::steady_clock::now() + kTimeout;
  while (!blocks_.contains(number) && !closed_ && !missing_.contains(number)) {
    if (!changed_.WaitUntil(mutex_, deadline)) missing_.insert(number);
  }
  const auto found = blocks_.find(number);
  return found == blocks_.end() ? nullptr : &found->second;
}

// A block that cannot be opened is not tried again.
std::shared_ptr<SharedBlock> DeviceBlockMap::Opened(uint32_t number, const MemorySharer& sharer) {
  MutexLock lock(mutex_);
  Block* const block = WaitFor(number);
  if (block == nullptr || block->key != sharer.sharing_key()) return nullptr;
  if (block->fd.get() >= 0) {
    const FileDescriptor fd = std::move(block->fd);
    auto opened = sharer.OpenShared(fd.get(), block->bytes);
    if (opened.ok()) {
      block->opened = *std::move(opened);
    } else {
      LogOnce(LogLevel::kDebug, "opening shared device memory",
              "values are copied through host memory: ", opened.status().message());
    }
  }
  return block->opened;
}

Tensor DeviceBlockMap::ValueAt(const Entry& entry, const VariableSpec& spec,
                               const MemorySharer& sharer,
                               const std::shared_ptr<const void>& hold) {
  const auto bytes = TensorBytes(spec.dtype, spec.shape);
  if (entry.device_block == 0 || !bytes.ok() || !MayStayShared(spec.dtype)) return Tensor();
  const std::shared_ptr<SharedBlock> block = Opened(entry.device_block, sharer);
  if (!block || entry.device_offset % SharedBlock::kAlignment != 0 ||
      entry.device_offset > block->size() || *bytes > block->size() - entry.device_offset) {
    return Tensor();
  }
  return block->ValueAt(entry.device_offset, spec.dtype, spec.shape, hold);
}

}  // namespace ramet::shm
