#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/base/status.h"
#include "ramet/replica/shm/layout.h"
#include "ramet/replica/shm/memory_file.h"

namespace ramet::shm {

// The contents of a slot, except for its entries.
struct VersionRecord {
  uint64_t version = 0;
  int64_t step = -1;
  int64_t time_nanos = 0;
  std::string info;  // metrics and rollback_to as text; at most kInfoBytes
};

// The publisher's view of a version table. Not thread-safe.
class TableWriter {
 public:
  // \error kInvalidArgument: there are more variables or slots than the layout supports.
  // \error kResourceExhausted: the memory cannot be reserved.
  static StatusOr<TableWriter> Create(const std::string& name, uint64_t epoch,
                                      uint32_t num_variables, uint32_t num_slots);

  int fd() const { return file_.fd(); }
  size_t bytes() const { return file_.size(); }
  uint32_t num_slots() const { return header().num_slots; }

  // Fills a free slot. Followers do not see it before Announce.
  void Fill(uint32_t slot, const VersionRecord& record, std::span<const Entry> entries);
  // Makes the slot's version the newest and wakes some waiting followers. Returns true if there may
  // be more of them. Then call WakeAll, but not on the trainer's thread: its time grows with the
  // number of waiting followers.
  bool Announce(uint32_t slot);
  void WakeAll() const;  // thread-safe
  // Prevents this version from being taken. The control blocks show which followers have pinned it.
  void Retire(uint32_t slot);
  // \error kResourceExhausted: there are already kMaxLabels labels.
  // \error kInvalidArgument: the name is empty or too long.
  Status SetLabel(std::string_view name, uint64_t version);
  std::map<std::string, uint64_t> Labels() const;
  // Call this when there will be no more versions.
  void Close();

 private:
  explicit TableWriter(MemoryFile file) : file_(std::move(file)) {}
  TableHeader& header() const { return *reinterpret_cast<TableHeader*>(file_.data()); }
  SlotHeader& slot(uint32_t i) const;
  void Wake();
  MemoryFile file_;
};

// A follower's view of a version table. Thread-safe.
class TableReader {
 public:
  // Maps a table and checks everything that does not change.
  // \error kInvalidArgument: the table is damaged.
  // \error kFailedPrecondition: the table has a different layout.
  static StatusOr<TableReader> Open(FileDescriptor fd, size_t bytes);

  uint64_t epoch() const { return epoch_; }
  uint32_t num_variables() const { return num_variables_; }
  bool closed() const { return header().closed.load(std::memory_order_acquire) != 0; }
  // Returns the number of the newest version, or 0 if there is none.
  uint64_t latest() const { return header().latest.load(std::memory_order_acquire) >> 8; }
  // Returns the version of a label, or nothing if there is no such label.
  std::optional<uint64_t> Label(std::string_view name) const;
  // Returns the versions that can be taken, oldest first.
  std::vector<uint64_t> Versions() const;

  // Pins a version in `cell`, which must be 0, and copies its record and entries. On error nothing
  // is pinned.
  // \error kNotFound: the version is not in the table.
  // \error kDataLoss: the entries do not match their checksum.
  Status Take(uint64_t version, std::atomic<uint64_t>& cell, VersionRecord* record,
              std::vector<Entry>* entries) const;

  // Changes with the table. Read it before looking at the table, and pass the value to Wait.
  uint32_t signal() const { return header().signal.load(std::memory_order_acquire); }
  // Waits until signal() differs from `seen`, WakeWaiters is called, or the timeout expires
  // (negative: no timeout).
  void Wait(uint32_t seen, int64_t timeout_nanos) const;
  // Wakes all waiting threads, in this process and others, although the table has not changed.
  void WakeWaiters() const;

 private:
  TableReader(MemoryFile file, const TableHeader& header)
      : file_(std::move(file)),
        epoch_(header.epoch),
        num_variables_(header.num_variables),
        num_slots_(header.num_slots),
        slot_bytes_(header.slot_bytes) {}
  const TableHeader& header() const { return *reinterpret_cast<TableHeader*>(file_.data()); }
  const SlotHeader& slot(uint32_t i) const;
  std::optional<uint32_t> SlotOf(uint64_t version) const;

  MemoryFile file_;
  uint64_t epoch_;
  uint32_t num_variables_, num_slots_, slot_bytes_;
};

}  // namespace ramet::shm
