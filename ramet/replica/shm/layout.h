#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

// What processes see of each other in shared memory. A publisher writes the version table, which
// its followers map for reading; each follower writes a control block of its own, which the
// publisher reads. Neither trusts what it reads: numbers are copied once and checked, and a number
// out of bounds is an error. docs/formats/shm.md describes the layout.
namespace ramet::shm {

// Another number for every change of what is in this file.
inline constexpr uint32_t kLayout = 1;
inline constexpr char kMagic[8] = {'R', 'A', 'M', 'E', 'T', 's', 'h', 'm'};

inline constexpr uint32_t kMaxVariables = 1u << 20;
inline constexpr uint32_t kMaxSlots = 256;
inline constexpr uint32_t kMaxLabels = 32;
inline constexpr uint32_t kLabelBytes = 48;
inline constexpr uint32_t kPinCells = 62;
inline constexpr uint32_t kInfoBytes = 2048;

static_assert(std::atomic<uint64_t>::is_always_lock_free);
static_assert(std::atomic<uint32_t>::is_always_lock_free);

// A name for a version. `version` is 0 while it names none.
struct LabelCell {
  char name[kLabelBytes];  // ends with a 0; does not change once num_labels counts it
  std::atomic<uint64_t> version;
};

struct TableHeader {
  char magic[8];
  uint32_t layout;
  uint32_t num_variables;
  uint32_t num_slots;
  uint32_t slot_bytes;
  uint64_t epoch;
  alignas(64) std::atomic<uint64_t> latest;  // version << 8 | slot; 0: nothing is published
  std::atomic<uint32_t> signal;              // a futex; counts up with every change of the table
  std::atomic<uint32_t> closed;              // 1: no more versions will come
  alignas(64) std::atomic<uint32_t> num_labels;
  LabelCell labels[kMaxLabels];
};

// The value of one variable in one version.
struct Entry {
  uint64_t offset;
  uint32_t segment;
  uint32_t reserved;
};

// One version; `num_variables` entries follow.
struct SlotHeader {
  // Set last when a slot is filled, and 0 from the moment on in which it is no longer handed out.
  std::atomic<uint64_t> version;
  int64_t step;
  int64_t time_nanos;  // since 1970
  uint32_t info_bytes;
  uint32_t crc32c;  // of the entries
  char info[kInfoBytes];
};

// The versions that one follower holds: 0, or what a slot's `version` was. Whoever takes a version
// writes it here and then looks whether the slot still has it; whoever retires one clears the slot
// and then looks here.
struct ControlBlock {
  uint32_t layout;
  uint32_t reserved;
  std::atomic<uint64_t> taken;  // the newest version that the follower uses, for reports
  std::atomic<uint64_t> pins[kPinCells];
};

}  // namespace ramet::shm
