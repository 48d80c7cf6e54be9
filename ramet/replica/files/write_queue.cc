#include "ramet/replica/files/write_queue.h"

#include <utility>

#include "ramet/base/log.h"
#include "ramet/base/run_interrupt.h"
#include "ramet/base/strings.h"
#include "ramet/replica/interruptible_wait.h"

namespace ramet::files {

void WriteQueue::Begin(uint64_t epoch, uint64_t version) {
  MutexLock lock(mutex_);
  stats_.epoch = epoch;
  stats_.version = version;
}

Status WriteQueue::WaitForRoom() {
  MutexLock lock(mutex_);
  if (is_writing_ && at_limit_ == RetentionOptions::AtLimit::kSkip) {
    ++stats_.skipped;
    return ResourceExhausted("file:", address_, ": version ", stats_.version,
                             " is still being written; publish less often, or set ",
                             "RetentionOptions::at_limit to kWait");
  }
  RAMET_RETURN_IF_ERROR(WaitUntilWrittenLocked());
  return std::exchange(failure_, OkStatus());
}

Status WriteQueue::Flush() {
  MutexLock lock(mutex_);
  RAMET_RETURN_IF_ERROR(WaitUntilWrittenLocked());
  return std::exchange(failure_, OkStatus());
}

Status WriteQueue::WaitUntilWritten() {
  MutexLock lock(mutex_);
  return WaitUntilWrittenLocked();
}

Status WriteQueue::WaitUntilWrittenLocked() {
  while (is_writing_) {
    if (WaitUnlessStopped(changed_, mutex_) == WaitEnd::kStopped) return InterruptedStatus();
  }
  return OkStatus();
}

uint64_t WriteQueue::Push(WrittenVersion version) {
  MutexLock lock(mutex_);
  version.info.id.epoch = stats_.epoch;
  version.info.id.version = ++stats_.version;
  queued_ = std::move(version);
  is_writing_ = true;
  changed_.NotifyAll();
  return stats_.version;
}

void WriteQueue::SetVersion(uint64_t version) {
  MutexLock lock(mutex_);
  stats_.version = version;
}

uint64_t WriteQueue::version() const {
  MutexLock lock(mutex_);
  return stats_.version;
}

PublisherStats WriteQueue::stats() const {
  MutexLock lock(mutex_);
  return stats_;
}

void WriteQueue::Close() {
  MutexLock lock(mutex_);
  stopping_ = true;
  changed_.NotifyAll();
}

std::optional<WrittenVersion> WriteQueue::Take() {
  MutexLock lock(mutex_);
  while (!queued_ && !stopping_) changed_.Wait(mutex_);
  return std::exchange(queued_, std::nullopt);
}

void WriteQueue::NoteWritten(const VersionInfo& info, uint64_t bytes, const Status& status) {
  MutexLock lock(mutex_);
  is_writing_ = false;
  if (status.ok()) {
    ++stats_.published;
    stats_.bytes_copied += bytes;
    stats_.step = info.id.step;
    stats_.time_nanos = info.time_nanos;
  } else {
    LogWarning("file:", address_, ": version ", info.id.version,
               " was not written: ", status.message());
    failure_ = status.WithContext(
        StrCat("file:", address_, ": version ", info.id.version, " was not written"));
  }
  changed_.NotifyAll();
}

void WriteQueue::SetBytesInUse(uint64_t bytes) {
  MutexLock lock(mutex_);
  stats_.bytes_in_use = bytes;
}

}  // namespace ramet::files
