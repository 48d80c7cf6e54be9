#include "ramet/replica/shm/version_store.h"

#include <algorithm>

#include "ramet/base/run_interrupt.h"
#include "ramet/base/strings.h"
#include "ramet/base/wall_clock.h"
#include "ramet/replica/interruptible_wait.h"
#include "ramet/replica/shm/device_blocks.h"
#include "ramet/replica/version_limits.h"
#include "ramet/replica/version_text.h"

namespace ramet::shm {
namespace {

// Polling interval for released versions. Followers release them by writing to memory, which does
// not wake the publisher.
constexpr auto kReleasePollInterval = std::chrono::milliseconds(1);

// Returns when to look for released versions again.
std::chrono::steady_clock::time_point NextLook() {
  return std::chrono::steady_clock::now() + kReleasePollInterval;
}

// Slots for retired versions that followers still hold.
constexpr uint32_t kRetiredSlots = 32;

}  // namespace

VersionStore::VersionStore(std::string address, ReplicaSignature signature,
                           const RetentionOptions& retention, ReaderList& readers,
                           std::function<void()> wake_server)
    : address_(std::move(address)),
      retention_(retention),
      readers_(readers),
      wake_server_(std::move(wake_server)),
      memory_(address_, std::move(signature)),
      hasher_(memory_.signature()) {}

Status VersionStore::Reserve() { return memory_.Reserve(retention_); }

Status VersionStore::Begin(uint64_t epoch) {
  const auto num_variables =
      static_cast<uint32_t>(std::min<size_t>(memory_.signature().size(), kMaxVariables + 1));
  const uint32_t num_slots =
      std::min(static_cast<uint32_t>(retention_.retained) + kMaxLabels + kRetiredSlots, kMaxSlots);
  RAMET_ASSIGN_OR_RETURN(TableWriter table,
                         TableWriter::Create(address_, epoch, num_variables, num_slots));
  MutexLock lock(mutex_);
  slots_.emplace(std::move(table), retention_.retained, readers_, hasher_);
  stats_.epoch = epoch;
  return OkStatus();
}

void VersionStore::Close() {
  MutexLock lock(mutex_);
  if (slots_) slots_->table().Close();
}

void VersionStore::End() {
  MutexLock lock(mutex_);
  ended_ = true;
  slots_->table().Close();
  reader_left_.NotifyAll();
}

void VersionStore::Stop() {
  hasher_.Stop();
  MutexLock lock(mutex_);
  if (slots_) slots_->Freeze();
}

const TableWriter& VersionStore::table() const {
  MutexLock lock(mutex_);
  return slots_->table();
}

StatusOr<Tensor> VersionStore::AllocatePublishable(DType dtype, const Shape& shape) {
  auto made = memory_.Allocate(dtype, shape);
  MutexLock lock(mutex_);
  while (IsResourceExhausted(made.status())) {
    slots_->Reclaim();
    made = memory_.Allocate(dtype, shape);
    if (made.ok()) break;
    const bool may_come = slots_->any_retired() || !hasher_.idle();
    if (retention_.at_limit == RetentionOptions::AtLimit::kSkip || !may_come || ended_) {
      ++stats_.skipped;
      return ResourceExhausted("shm:", address_, ": version ", stats_.version + 1,
                               " is not published: ", made.status().message());
    }
    const WaitEnd end = WaitUnlessStopped(reader_left_, mutex_, NextLook());
    if (end == WaitEnd::kStopped) return InterruptedStatus();
  }
  if (made.ok()) stats_.bytes_copied += made->bytes();
  return made;
}

StatusOr<uint64_t> VersionStore::Publish(const VersionInfo& info, std::span<const Tensor> values,
                                         std::span<const Tensor> sources,
                                         std::shared_ptr<const DeviceCopies> copies) {
  MutexLock lock(mutex_);
  draft_.buffers.clear();
  for (const Tensor& value : values) draft_.buffers.push_back(value.buffer());
  const auto version = Add(info, draft_.buffers, sources, std::move(copies), true);
  draft_.buffers.clear();
  return version;
}

// Makes these values the newest version.
StatusOr<uint64_t> VersionStore::Add(const VersionInfo& info, std::span<const BufferPtr> buffers,
                                     std::span<const Tensor> sources,
                                     std::shared_ptr<const DeviceCopies> copies, bool may_wait) {
  std::string text = InfoToText(info);
  if (text.size() > kInfoBytes) {
    return InvalidArgument("shm:", address_, ": the description of a version has ", text.size(),
                           " bytes as JSON; the limit is ", kInfoBytes);
  }
  RAMET_RETURN_IF_ERROR(CheckSlotFree(may_wait));
  RAMET_RETURN_IF_ERROR(memory_.FindEntries(buffers, &draft_.entries));
  DeviceBlocks::FillEntries(copies.get(), draft_.entries);
  const bool all_sent = readers_.SendSegmentsOf(memory_.pool());
  const uint64_t version = stats_.version + 1;
  const bool all_woken = !slots_->Add({version, info.id.step, info.time_nanos, std::move(text)},
                                      info, buffers, sources, draft_.entries, std::move(copies));
  if (!all_woken || !all_sent) wake_server_();
  stats_.version = version;
  stats_.step = info.id.step;
  stats_.time_nanos = info.time_nanos;
  ++stats_.published;
  slots_->RetireOld(stats_.labels);
  slots_->Reclaim();
  return stats_.version;
}

StatusOr<uint64_t> VersionStore::Rollback(uint64_t version, bool may_wait) {
  MutexLock lock(mutex_);
  const VersionSlots::Slot* old = slots_->Find(version);
  if (old == nullptr) return NotKept(version);
  VersionInfo info = old->info;
  info.rollback_to = version;
  info.time_nanos = WallClockNanos();
  const std::vector<BufferPtr> buffers = old->buffers;
  const std::vector<Tensor> sources = old->sources;
  const std::shared_ptr<const DeviceCopies> copies = old->copies;
  RAMET_ASSIGN_OR_RETURN(const uint64_t made, Add(info, buffers, sources, copies, may_wait));
  hasher_.Alias(made, version);
  return made;
}

Status VersionStore::CheckSlotFree(bool may_wait) {
  while (true) {
    if (ended_) {
      return Aborted("shm:", address_,
                     ": another publisher has taken over; this one cannot publish");
    }
    slots_->Reclaim();
    if (!slots_->full()) return OkStatus();
    if (!may_wait || retention_.at_limit == RetentionOptions::AtLimit::kSkip) break;
    const WaitEnd end = WaitUnlessStopped(reader_left_, mutex_, NextLook());
    if (end == WaitEnd::kStopped) return InterruptedStatus();
  }
  ++stats_.skipped;
  return ResourceExhausted("shm:", address_, ": followers hold all ", slots_->size(),
                           " versions that fit; the oldest is ", readers_.Oldest());
}

void VersionStore::Release() {
  MutexLock lock(mutex_);
  slots_->Reclaim();
}

void VersionStore::NoteReaderLeft() {
  MutexLock lock(mutex_);
  slots_->Reclaim();
  reader_left_.NotifyAll();
}

Status VersionStore::NotKept(uint64_t version) const {
  return ramet::NotKept(version, slots_->Kept()).WithContext(StrCat("shm:", address_));
}

Status VersionStore::Promote(std::string_view label, uint64_t version) {
  MutexLock lock(mutex_);
  if (slots_->Find(version) == nullptr) return NotKept(version);
  RAMET_RETURN_IF_ERROR(slots_->table().SetLabel(label, version));
  stats_.labels = slots_->table().Labels();
  slots_->RetireOld(stats_.labels);
  return OkStatus();
}

PublisherStats VersionStore::stats() const {
  MutexLock lock(mutex_);
  PublisherStats stats = stats_;
  stats.bytes_in_use = memory_.pool().bytes_in_segments();
  stats.readers = static_cast<int>(readers_.size());
  stats.oldest_in_use = readers_.Oldest();
  return stats;
}

Status VersionStore::AskHashes(uint64_t version, HashWorker::Done done) {
  MutexLock lock(mutex_);
  const VersionSlots::Slot* slot = slots_->FindAny(version);
  if (slot == nullptr) return NotKept(version);
  const auto values = [this, slot] {
    HashWorker::Values all{{}, slot->sources};
    for (size_t i = 0; i < slot->buffers.size(); ++i) {
      const VariableSpec& spec = memory_.signature()[i];
      all.values.emplace_back(spec.dtype, spec.shape, slot->buffers[i]);
    }
    return all;
  };
  return hasher_.Ask(version, values, [this, version, done](const StatusOr<VersionHashes>& hashes) {
    NoteHashed(version, hashes.ok());
    done(hashes);
  });
}

// Drops what was kept only until the version is hashed.
void VersionStore::NoteHashed(uint64_t version, bool ok) {
  MutexLock lock(mutex_);
  VersionSlots::Slot* slot = slots_->FindAny(version);
  if (slot == nullptr) {
    hasher_.Forget(version);
  } else if (ok) {
    slot->sources.clear();
  }
}

}  // namespace ramet::shm
