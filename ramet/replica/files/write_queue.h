#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ramet/base/mutex.h"
#include "ramet/replica/files/version_writer.h"
#include "ramet/replica/transport.h"

namespace ramet::files {

// A WriteQueue passes versions from the thread that publishes to the one that writes them, one at a
// time, and counts them. Thread-safe.
class WriteQueue {
 public:
  // `address` is for messages.
  WriteQueue(std::string address, RetentionOptions::AtLimit at_limit)
      : address_(std::move(address)), at_limit_(at_limit) {}

  // Sets the epoch and the number of the last version. Call it before the functions below.
  void Begin(uint64_t epoch, uint64_t version);
  // With kWait, waits until the previous version is written.
  // \error kResourceExhausted: with kSkip, the previous version is still being written.
  // \error kCancelled: the client interrupts the wait.
  // \error as for VersionWriter::Write: the previous version could not be written.
  Status WaitForRoom();
  // Waits until the last version is written. Returns the error of one that was not, as the next
  // WaitForRoom would.
  // \error kCancelled: the client interrupts the wait.
  Status Flush();
  // \error kCancelled: the client interrupts the wait.
  Status WaitUntilWritten();
  // Adds a version, whose number it sets and returns. Call it after WaitForRoom.
  uint64_t Push(WrittenVersion version);
  // Makes `version` the number of the last version.
  void SetVersion(uint64_t version);
  uint64_t version() const;
  PublisherStats stats() const;
  // Ends the writing thread after the last version.
  void Close();

  // The functions below are for the writing thread. Take waits for a version. It returns nothing
  // when the thread must end.
  std::optional<WrittenVersion> Take();
  void NoteWritten(const VersionInfo& info, uint64_t bytes, const Status& status);
  void SetBytesInUse(uint64_t bytes);

 private:
  Status WaitUntilWrittenLocked() RAMET_REQUIRES(mutex_);

  const std::string address_;
  const RetentionOptions::AtLimit at_limit_;
  mutable Mutex mutex_;
  CondVar changed_;
  bool stopping_ RAMET_GUARDED_BY(mutex_) = false;
  bool is_writing_ RAMET_GUARDED_BY(mutex_) = false;
  std::optional<WrittenVersion> queued_ RAMET_GUARDED_BY(mutex_);
  Status failure_ RAMET_GUARDED_BY(mutex_);  // of the last version, until WaitForRoom returns it
  PublisherStats stats_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet::files
