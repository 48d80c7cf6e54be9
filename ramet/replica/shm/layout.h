#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

// The layout of the shared memory of publishers and followers. A publisher writes the version
// table, which its followers map for reading. Each follower writes its own control block, which the
// publisher reads. Neither side trusts what it reads: numbers are copied once and checked, and a
// number out of bounds is an error. docs/formats/shm.md describes the layout.
namespace ramet::shm {

// Incremented with every change in this file.
inline constexpr uint32_t kLayout = 2;
inline constexpr char kMagic[8] = {'R', 'A', 'M', 'E', 'T', 's', 'h', 'm'};

inline constexpr uint32_t kMaxVariables = 1u << 20;
inline constexpr uint32_t kMaxSlots = 256;
inline constexpr uint32_t kMaxLabels = 32;
inline constexpr uint32_t kLabelBytes = 48;
inline constexpr uint32_t kPinCells = 62;
inline constexpr uint32_t kInfoBytes = 2048;
// Values start at multiples of this many bytes in their segment, and large ones at pages.
inline constexpr uint64_t kValueAlignment = 64;
inline constexpr uint64_t kPageBytes = 4096;

static_assert(std::atomic<uint64_t>::is_always_lock_free);
static_assert(std::atomic<uint32_t>::is_always_lock_free);

// A label, which names a version. `version` is 0 if it names none.
struct LabelCell {
  char name[kLabelBytes];  // null-terminated; constant once num_labels includes it
  std::atomic<uint64_t> version;
};

struct TableHeader {
  char magic[8];
  uint32_t layout;
  uint32_t num_variables;
  uint32_t num_slots;
  uint32_t slot_bytes;
  uint64_t epoch;
  alignas(64) std::atomic<uint64_t> latest;  // version << 8 | slot, or 0 if nothing is published
  std::atomic<uint32_t> signal;              // a futex; incremented with every change of the table
  std::atomic<uint32_t> closed;              // 1: there will be no more versions
  alignas(64) std::atomic<uint32_t> num_labels;
  LabelCell labels[kMaxLabels];
};

// The value of one variable in one version: its place in a segment, and the place of its copy in
// device memory, if there is one.
struct Entry {
  uint64_t offset;
  uint32_t segment;
  uint32_t device_block;  // 0: no copy
  uint64_t device_offset = 0;
};

// A version. `num_variables` entries follow.
struct SlotHeader {
  // Set last when a slot is filled. Cleared as soon as the version can no longer be taken.
  std::atomic<uint64_t> version;
  int64_t step;
  int64_t time_nanos;  // since 1970
  uint32_t info_bytes;
  uint32_t crc32c;  // of the entries
  char info[kInfoBytes];
};

// The versions that a follower holds. A pin is 0 or the `version` of a slot. To take a version, a
// follower writes it here and then checks that the slot still has it. To retire a version, the
// publisher clears the slot and then checks the pins.
struct ControlBlock {
  uint32_t layout;
  uint32_t reserved;
  std::atomic<uint64_t> taken;  // the newest version that the follower uses, for reports
  std::atomic<uint64_t> pins[kPinCells];
};

}  // namespace ramet::shm
