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

// What a slot says beside its entries.
struct VersionRecord {
  uint64_t version = 0;
  int64_t step = -1;
  int64_t time_nanos = 0;
  std::string info;  // what the user said of it; at most kInfoBytes
};

// The publisher's side of a version table. One thread at a time.
class TableWriter {
 public:
  // \error kInvalidArgument if there are more variables or slots than the layout has room for;
  //   kResourceExhausted.
  static StatusOr<TableWriter> Create(const std::string& name, uint64_t epoch,
                                      uint32_t num_variables, uint32_t num_slots);

  int fd() const { return file_.fd(); }
  size_t bytes() const { return file_.size(); }
  uint32_t num_slots() const { return header().num_slots; }

  // Fills a slot that is free. Nobody sees it before Announce.
  void Fill(uint32_t slot, const VersionRecord& record, std::span<const Entry> entries);
  // Makes it the newest version and wakes some of those who wait. Whether there may be more, whom
  // WakeAll wakes: that takes the longer the more there are, so it is not for the trainer to do.
  bool Announce(uint32_t slot);
  void WakeAll() const;  // thread-safe
  // From now on nobody new can take it; who has pinned it by now, shows in his control block.
  void Retire(uint32_t slot);
  // \error kResourceExhausted with more than kMaxLabels; kInvalidArgument if the name is empty or
  // too long.
  Status SetLabel(std::string_view name, uint64_t version);
  std::map<std::string, uint64_t> Labels() const;
  // No more versions will come.
  void Close();

 private:
  explicit TableWriter(MemoryFile file) : file_(std::move(file)) {}
  TableHeader& header() const { return *reinterpret_cast<TableHeader*>(file_.data()); }
  SlotHeader& slot(uint32_t i) const;
  void Wake();
  MemoryFile file_;
};

// A follower's side. Thread-safe.
class TableReader {
 public:
  // Checks all that does not change. \error kInvalidArgument, kFailedPrecondition for another
  // layout.
  static StatusOr<TableReader> Open(FileDescriptor fd, size_t bytes);

  uint64_t epoch() const { return epoch_; }
  uint32_t num_variables() const { return num_variables_; }
  bool closed() const { return header().closed.load(std::memory_order_acquire) != 0; }
  // The number of the newest version; 0: there is none.
  uint64_t latest() const { return header().latest.load(std::memory_order_acquire) >> 8; }
  // The version of a label; nothing if there is no such label.
  std::optional<uint64_t> Label(std::string_view name) const;
  // Those that can be taken, oldest first.
  std::vector<uint64_t> Versions() const;

  // Pins a version in `cell` (which holds 0) and copies its record and entries.
  // \error kNotFound if it is not in the table (any more), and then nothing is pinned; kDataLoss if
  //   its entries do not have their checksum, likewise.
  Status Take(uint64_t version, std::atomic<uint64_t>& cell, VersionRecord* record,
              std::vector<Entry>* entries) const;

  // What changes with the table: wait with the value that was there before it was looked at.
  uint32_t signal() const { return header().signal.load(std::memory_order_acquire); }
  // Waits until signal() is not `seen`, WakeWaiters, or the time is over (negative: no limit).
  void Wait(uint32_t seen, int64_t timeout_nanos) const;
  // Wakes those of this process and of others who wait for no reason that they could see.
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
