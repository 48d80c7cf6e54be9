#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ramet/replica/hash_worker.h"
#include "ramet/replica/shm/reader_list.h"
#include "ramet/replica/shm/version_table.h"
#include "ramet/replica/transport.h"
#include "ramet/tensor/tensor.h"

namespace ramet::shm {

// The contents of the slots of a publisher's table: versions that can be taken, and retired ones
// that a follower still holds. Not thread-safe.
class VersionSlots {
 public:
  struct Slot {
    uint64_t version = 0;
    bool retired = false;
    VersionInfo info = {};
    std::vector<BufferPtr> buffers = {};
    std::vector<Tensor> sources = {};  // kept until they are hashed
    std::shared_ptr<const DeviceCopies> copies = {};
  };

  // Keeps the newest `retained` versions. The references must outlive the slots.
  VersionSlots(TableWriter table, int retained, const ReaderList& readers, HashWorker& hasher);
  TableWriter& table() { return table_; }
  const TableWriter& table() const { return table_; }
  size_t size() const { return slots_.size(); }
  bool full() const { return free_.empty(); }
  // Reports whether a slot may become free later.
  bool any_retired() const;

  // Makes these values the newest version. There must be a free slot. Returns true if more
  // followers may be waiting than have been woken (see TableWriter::Announce).
  bool Add(VersionRecord record, const VersionInfo& info, std::span<const BufferPtr> buffers,
           std::span<const Tensor> sources, std::span<const Entry> entries,
           std::shared_ptr<const DeviceCopies> copies);
  // Marks all buffers as borrowed, because followers may still use them after the publisher ends.
  void Freeze();
  // Returns the versions that can be taken, oldest first.
  std::vector<uint64_t> Kept() const;
  // Returns the slot of a version that can be taken, or null. Valid until the next Add or Reclaim.
  Slot* Find(uint64_t version);
  // Like Find, but also finds retired versions.
  Slot* FindAny(uint64_t version);
  // Retires all versions except the newest ones and those with a label.
  void RetireOld(const std::map<std::string, uint64_t>& labels);
  // Empties the slots of retired versions that no follower holds, and forgets their hashes.
  void Reclaim();

 private:
  TableWriter table_;
  const int retained_;
  const ReaderList& readers_;
  HashWorker& hasher_;
  std::vector<Slot> slots_;            // in the order of the table
  std::vector<uint32_t> used_, free_;  // used slots are ordered by version
};

}  // namespace ramet::shm
