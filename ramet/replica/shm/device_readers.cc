#include "ramet/replica/shm/device_readers.h"

#include <unistd.h>

#include "ramet/replica/shm/requests.h"

namespace ramet::shm {

Status DeviceReaders::Add(uint64_t reader, const std::string& key) {
  RAMET_ASSIGN_OR_RETURN(const Peer peer, readers_.peer(reader));
  if (peer.uid != geteuid()) {
    return PermissionDenied("only processes of the publisher's user share its device memory");
  }
  if (peer.pid == getpid()) {
    return FailedPrecondition("the publisher is in the same process and shares its values");
  }
  if (key.empty() || key.size() > kMaxKeyBytes || key.find(' ') != key.npos) {
    return InvalidArgument("the key of a device has ", key.size(), " bytes; expected 1 to ",
                           kMaxKeyBytes, " without spaces");
  }
  MutexLock lock(mutex_);
  wanted_[reader] = {key};
  return OkStatus();
}

std::set<std::string> DeviceReaders::Keys() {
  MutexLock lock(mutex_);
  std::erase_if(wanted_, [&](const auto& entry) { return !readers_.peer(entry.first).ok(); });
  std::set<std::string> keys;
  for (const auto& [reader, wanted] : wanted_) keys.insert(wanted.key);
  return keys;
}

void DeviceReaders::Send(const DeviceBlocks& blocks) {
  MutexLock lock(mutex_);
  if (wanted_.empty()) return;
  for (const auto& block : blocks.Blocks()) {
    const int fd = block->memory->fd();
    const std::string notice =
        DeviceNoticeToText({block->number, block->memory->size(), block->key});
    for (auto& [reader, wanted] : wanted_) {
      if (wanted.key != block->key || wanted.last_sent >= block->number) continue;
      if (readers_.Send(reader, notice, {&fd, 1}).ok()) wanted.last_sent = block->number;
    }
  }
}

}  // namespace ramet::shm
