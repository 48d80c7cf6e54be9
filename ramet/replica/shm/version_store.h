#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/mutex.h"
#include "ramet/replica/hash_worker.h"
#include "ramet/replica/shm/reader_list.h"
#include "ramet/replica/shm/value_memory.h"
#include "ramet/replica/shm/version_slots.h"

namespace ramet::shm {

// A VersionStore holds the versions of a publisher in shared memory: their values, labels and
// statistics. Thread-safe.
class VersionStore {
 public:
  // `readers` must outlive the store. `wake_server` makes the server wake followers and send them
  // new segments.
  VersionStore(std::string address, ReplicaSignature signature, const RetentionOptions& retention,
               ReaderList& readers, std::function<void()> wake_server);

  // Reserves the memory for the first versions.
  // \error kResourceExhausted: the memory cannot be reserved.
  Status Reserve();
  // Creates the version table. Call this once, after Reserve and before the functions below.
  // \error as for TableWriter::Create.
  Status Begin(uint64_t epoch);
  // Ends the table, so that followers get no more versions.
  void Close();
  // Like Close. Publish fails from now on, because another publisher has taken over.
  void End();
  // Ends the background work. Followers may keep using the values afterwards. Call this after
  // Close, when no other thread uses the store.
  void Stop();

  SharedPool& pool() { return memory_.pool(); }
  const TableWriter& table() const;

  // These functions are as for PublisherTransport. Without `may_wait`, Rollback fails instead of
  // waiting for room.
  StatusOr<Tensor> AllocatePublishable(DType dtype, const Shape& shape);
  StatusOr<uint64_t> Publish(const VersionInfo& info, std::span<const Tensor> values,
                             std::span<const Tensor> sources,
                             std::shared_ptr<const DeviceCopies> copies);
  StatusOr<uint64_t> Rollback(uint64_t version, bool may_wait);
  Status Promote(std::string_view label, uint64_t version);
  void Release();
  PublisherStats stats() const;
  // Releases what a follower that has left held, and wakes threads that wait for room.
  void NoteReaderLeft();

  // Returns the hashes of a version, or empty strings if they are not known.
  VersionHashes KnownHashes(uint64_t version) const { return hasher_.Known(version); }
  // Hashes a version in the background and then calls `done`.
  // \error kNotFound: the version is not kept.
  // \error as for HashWorker::Ask.
  Status AskHashes(uint64_t version, HashWorker::Done done);

 private:
  // The version being published. Kept, so that publishing does not allocate.
  struct Draft {
    std::vector<BufferPtr> buffers;
    std::vector<Entry> entries;
  };

  Status CheckSlotFree(bool may_wait) RAMET_REQUIRES(mutex_);
  StatusOr<uint64_t> Add(const VersionInfo& info, std::span<const BufferPtr> buffers,
                         std::span<const Tensor> sources,
                         std::shared_ptr<const DeviceCopies> copies, bool may_wait)
      RAMET_REQUIRES(mutex_);
  void NoteHashed(uint64_t version, bool ok) RAMET_EXCLUDES(mutex_);
  Status NotKept(uint64_t version) const RAMET_REQUIRES(mutex_);

  const std::string address_;
  const RetentionOptions retention_;
  ReaderList& readers_;
  const std::function<void()> wake_server_;
  ValueMemory memory_;

  mutable Mutex mutex_;
  CondVar reader_left_;
  bool ended_ RAMET_GUARDED_BY(mutex_) = false;
  std::optional<VersionSlots> slots_ RAMET_GUARDED_BY(mutex_);
  Draft draft_ RAMET_GUARDED_BY(mutex_);
  PublisherStats stats_ RAMET_GUARDED_BY(mutex_);
  HashWorker hasher_;  // its thread uses the members above
};

}  // namespace ramet::shm
