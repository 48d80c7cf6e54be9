#include "ramet/replica/shm/version_table.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <ctime>

#include "ramet/base/crc32c.h"
#include "ramet/base/strings.h"
#include "ramet/replica/version_limits.h"

namespace ramet::shm {
namespace {

constexpr size_t kCacheLine = 64;
// The followers that Announce wakes itself (`ramet_replica_bench wake` measures what one costs).
constexpr int kWokenAtOnce = 2;

size_t RoundUp(size_t bytes) { return (bytes + kCacheLine - 1) / kCacheLine * kCacheLine; }

size_t SlotBytes(uint32_t num_variables) {
  return RoundUp(sizeof(SlotHeader) + sizeof(Entry) * num_variables);
}

size_t TableBytes(uint32_t slot_bytes, uint32_t num_slots) {
  return RoundUp(sizeof(TableHeader)) + size_t{slot_bytes} * num_slots;
}

uint32_t Checksum(std::span<const Entry> entries) {
  return crc32c::Value(entries.data(), entries.size_bytes());
}

// Returns the word of a futex shared between processes. Waiters map the table for reading only.
const uint32_t* Word(const std::atomic<uint32_t>& atomic) {
  return reinterpret_cast<const uint32_t*>(&atomic);
}

// Wakes at most `limit` waiters and returns how many were woken.
int WakeSome(const std::atomic<uint32_t>& word, int limit) {
  return static_cast<int>(syscall(SYS_futex, Word(word), FUTEX_WAKE, limit, nullptr, nullptr, 0));
}

// Reads a value once, because another process may change it at any time.
template <class T>
T ReadOnce(const T& value) {
  return *const_cast<const volatile T*>(&value);
}

}  // namespace

StatusOr<TableWriter> TableWriter::Create(const std::string& name, uint64_t epoch,
                                          uint32_t num_variables, uint32_t num_slots) {
  if (num_variables > kMaxVariables || num_slots < 1 || num_slots > kMaxSlots) {
    return InvalidArgument(num_variables, " variables and ", num_slots,
                           " versions cannot be published; at most ", kMaxVariables, " and ",
                           kMaxSlots, " can");
  }
  const size_t slot_bytes = SlotBytes(num_variables);
  RAMET_ASSIGN_OR_RETURN(
      MemoryFile file, MemoryFile::Create(StrCat("ramet ", name, " versions"),
                                          TableBytes(static_cast<uint32_t>(slot_bytes), num_slots),
                                          MemoryFile::Access::kOwnerWrites));
  TableWriter writer(std::move(file));
  TableHeader& header = writer.header();
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.layout = kLayout;
  header.num_variables = num_variables;
  header.num_slots = num_slots;
  header.slot_bytes = static_cast<uint32_t>(slot_bytes);
  header.epoch = epoch;
  return writer;
}

SlotHeader& TableWriter::slot(uint32_t i) const {
  char* slots = file_.data() + RoundUp(sizeof(TableHeader));
  return *reinterpret_cast<SlotHeader*>(slots + size_t{header().slot_bytes} * i);
}

void TableWriter::Fill(uint32_t i, const VersionRecord& record, std::span<const Entry> entries) {
  SlotHeader& to = slot(i);
  to.step = record.step;
  to.time_nanos = record.time_nanos;
  to.info_bytes = static_cast<uint32_t>(std::min<size_t>(record.info.size(), kInfoBytes));
  std::memcpy(to.info, record.info.data(), to.info_bytes);
  to.crc32c = Checksum(entries);
  std::memcpy(static_cast<void*>(&to + 1), entries.data(), entries.size_bytes());
  to.version.store(record.version, std::memory_order_release);
}

bool TableWriter::Announce(uint32_t i) {
  const uint64_t version = slot(i).version.load(std::memory_order_relaxed);
  header().latest.store(version << 8 | i, std::memory_order_release);
  header().signal.fetch_add(1, std::memory_order_release);
  return WakeSome(header().signal, kWokenAtOnce) == kWokenAtOnce;
}

void TableWriter::Retire(uint32_t i) {
  slot(i).version.store(0, std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

Status TableWriter::SetLabel(std::string_view name, uint64_t version) {
  static_assert(kMaxLabelBytes < kLabelBytes);
  if (name.empty() || name.size() > kMaxLabelBytes || name.find('\0') != name.npos) {
    return InvalidArgument("a label must have 1 to ", kMaxLabelBytes, " bytes, but '", name,
                           "' was given");
  }
  TableHeader& h = header();
  const uint32_t count = h.num_labels.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < count; ++i) {
    if (name != h.labels[i].name) continue;
    h.labels[i].version.store(version, std::memory_order_release);
    Wake();
    return OkStatus();
  }
  if (count == kMaxLabels) {
    return ResourceExhausted("there are already ", kMaxLabels, " labels, which is the maximum");
  }
  std::memcpy(h.labels[count].name, name.data(), name.size());
  h.labels[count].version.store(version, std::memory_order_relaxed);
  h.num_labels.store(count + 1, std::memory_order_release);
  Wake();
  return OkStatus();
}

std::map<std::string, uint64_t> TableWriter::Labels() const {
  std::map<std::string, uint64_t> labels;
  for (uint32_t i = 0; i < header().num_labels; ++i) {
    labels[header().labels[i].name] = header().labels[i].version;
  }
  return labels;
}

void TableWriter::Close() {
  header().closed.store(1, std::memory_order_release);
  Wake();
}

void TableWriter::Wake() {
  header().signal.fetch_add(1, std::memory_order_release);
  WakeAll();
}

void TableWriter::WakeAll() const { WakeSome(header().signal, INT_MAX); }

StatusOr<TableReader> TableReader::Open(FileDescriptor fd, size_t bytes) {
  if (bytes < RoundUp(sizeof(TableHeader))) {
    return InvalidArgument("a version table of ", bytes,
                           " bytes was announced, which is too small");
  }
  RAMET_ASSIGN_OR_RETURN(MemoryFile file,
                         MemoryFile::Open(std::move(fd), bytes, MemoryFile::Access::kOwnerWrites));
  const auto& header = *reinterpret_cast<const TableHeader*>(file.data());
  if (std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0) {
    return InvalidArgument("the publisher's memory is not a version table");
  }
  if (const uint32_t layout = ReadOnce(header.layout); layout != kLayout) {
    return FailedPrecondition("the publisher's shared memory has layout ", layout,
                              ", this program reads layout ", kLayout,
                              "; use the same release of Ramet on both sides");
  }
  TableReader reader(std::move(file), header);
  if (reader.num_variables_ > kMaxVariables || reader.num_slots_ > kMaxSlots ||
      reader.slot_bytes_ != SlotBytes(reader.num_variables_) ||
      bytes != TableBytes(reader.slot_bytes_, reader.num_slots_)) {
    return InvalidArgument("the publisher's version table of ", bytes, " bytes for ",
                           reader.num_variables_, " variables and ", reader.num_slots_,
                           " versions is damaged");
  }
  return reader;
}

const SlotHeader& TableReader::slot(uint32_t i) const {
  const char* slots = file_.data() + RoundUp(sizeof(TableHeader));
  return *reinterpret_cast<const SlotHeader*>(slots + size_t{slot_bytes_} * i);
}

std::optional<uint64_t> TableReader::Label(std::string_view name) const {
  const uint32_t count = std::min(header().num_labels.load(std::memory_order_acquire), kMaxLabels);
  for (uint32_t i = 0; i < count; ++i) {
    const LabelCell& label = header().labels[i];
    if (name == std::string_view(label.name, strnlen(label.name, kLabelBytes))) {
      return label.version.load(std::memory_order_acquire);
    }
  }
  return std::nullopt;
}

std::vector<uint64_t> TableReader::Versions() const {
  std::vector<uint64_t> versions;
  for (uint32_t i = 0; i < num_slots_; ++i) {
    const uint64_t version = slot(i).version.load(std::memory_order_acquire);
    if (version != 0 && version <= latest()) versions.push_back(version);
  }
  std::ranges::sort(versions);
  return versions;
}

std::optional<uint32_t> TableReader::SlotOf(uint64_t version) const {
  const uint64_t latest = header().latest.load(std::memory_order_acquire);
  const uint32_t hint = static_cast<uint32_t>(latest & 0xff);
  if (latest >> 8 == version && hint < num_slots_) return hint;
  for (uint32_t i = 0; i < num_slots_; ++i) {
    if (slot(i).version.load(std::memory_order_acquire) == version) return i;
  }
  return std::nullopt;
}

Status TableReader::Take(uint64_t version, std::atomic<uint64_t>& cell, VersionRecord* record,
                         std::vector<Entry>* entries) const {
  const auto found = version == 0 ? std::nullopt : SlotOf(version);
  if (!found) return NotFound("version ", version, " is not kept");
  const SlotHeader& from = slot(*found);
  cell.store(version, std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (from.version.load(std::memory_order_seq_cst) != version) {
    cell.store(0, std::memory_order_release);
    return NotFound("version ", version, " was retired");
  }
  record->version = version;
  record->step = ReadOnce(from.step);
  record->time_nanos = ReadOnce(from.time_nanos);
  record->info.assign(from.info, std::min(ReadOnce(from.info_bytes), kInfoBytes));
  const auto* first = reinterpret_cast<const Entry*>(&from + 1);
  entries->assign(first, first + num_variables_);
  if (Checksum(*entries) == ReadOnce(from.crc32c)) return OkStatus();
  cell.store(0, std::memory_order_release);
  return DataLoss("the entries of version ", version, " in the publisher's table are damaged");
}

void TableReader::Wait(uint32_t seen, int64_t timeout_nanos) const {
  const timespec limit{timeout_nanos / 1'000'000'000, timeout_nanos % 1'000'000'000};
  syscall(SYS_futex, Word(header().signal), FUTEX_WAIT, seen, timeout_nanos < 0 ? nullptr : &limit,
          nullptr, 0);
}

void TableReader::WakeWaiters() const { WakeSome(header().signal, INT_MAX); }

}  // namespace ramet::shm
