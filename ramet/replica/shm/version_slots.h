#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "ramet/replica/shm/version_table.h"
#include "ramet/replica/transport.h"
#include "ramet/tensor/tensor.h"

namespace ramet::shm {

// What the slots of a publisher's table hold: the versions that can be followed, and those which no
// longer can be (retired) as long as somebody has them. One thread at a time.
class VersionSlots {
 public:
  struct Slot {
    uint64_t version = 0;
    bool retired = false;
    VersionInfo info = {};
    std::vector<BufferPtr> buffers = {};
    std::vector<Tensor> sources = {};  // until they are hashed
  };

  explicit VersionSlots(TableWriter table);
  TableWriter& table() { return table_; }
  const TableWriter& table() const { return table_; }
  size_t size() const { return slots_.size(); }
  bool full() const { return free_.empty(); }
  // Whether a slot may become free by waiting.
  bool any_retired() const;

  // Makes these values the newest version; there is a free slot. Whether more followers may wait
  // than have been woken (TableWriter::Announce).
  bool Add(VersionRecord record, const VersionInfo& info, std::span<const BufferPtr> buffers,
           std::span<const Tensor> sources, std::span<const Entry> entries);
  // Nobody writes to what is there any more: followers may have it, and the publisher ends.
  void Freeze();
  // The one that can be followed under this number; nullptr: none. Until the next Add or Reclaim.
  Slot* Find(uint64_t version);
  // The same of retired ones, too.
  Slot* FindAny(uint64_t version);
  // Beyond the newest `retained` ones only what a label names stays.
  void RetireOld(int retained, const std::map<std::string, uint64_t>& labels);
  // Empties the slots of retired versions that nobody holds, which it asks `is_held`, and tells
  // `forget` of them.
  void Reclaim(const std::function<bool(uint64_t version)>& is_held,
               const std::function<void(uint64_t version)>& forget);

 private:
  TableWriter table_;
  std::vector<Slot> slots_;            // by the table's
  std::vector<uint32_t> used_, free_;  // the used ones by version
};

}  // namespace ramet::shm
