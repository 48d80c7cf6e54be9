#include "ramet/replica/shm/version_slots.h"

#include <algorithm>
#include <utility>

namespace ramet::shm {

VersionSlots::VersionSlots(TableWriter table, int retained, const ReaderList& readers,
                           HashWorker& hasher)
    : table_(std::move(table)), retained_(retained), readers_(readers), hasher_(hasher) {
  slots_.resize(table_.num_slots());
  for (uint32_t i = table_.num_slots(); i-- > 0;) free_.push_back(i);
}

bool VersionSlots::any_retired() const {
  return std::ranges::any_of(used_, [this](uint32_t i) { return slots_[i].retired; });
}

bool VersionSlots::Add(VersionRecord record, const VersionInfo& info,
                       std::span<const BufferPtr> buffers, std::span<const Tensor> sources,
                       std::span<const Entry> entries, std::shared_ptr<const DeviceCopies> copies) {
  const uint32_t free = free_.back();
  Slot& slot = slots_[free];
  slot.version = record.version;
  slot.info = info;
  slot.buffers.assign(buffers.begin(), buffers.end());
  slot.sources.assign(sources.begin(), sources.end());
  slot.copies = std::move(copies);
  free_.pop_back();
  used_.push_back(free);
  table_.Fill(free, record, entries);
  return table_.Announce(free);
}

void VersionSlots::Freeze() {
  for (uint32_t i : used_) {
    for (const BufferPtr& buffer : slots_[i].buffers) buffer->MakeBorrowed();
  }
}

std::vector<uint64_t> VersionSlots::Kept() const {
  std::vector<uint64_t> kept;
  for (uint32_t i : used_) {
    if (!slots_[i].retired) kept.push_back(slots_[i].version);
  }
  return kept;
}

VersionSlots::Slot* VersionSlots::Find(uint64_t version) {
  Slot* slot = FindAny(version);
  return slot == nullptr || slot->retired ? nullptr : slot;
}

VersionSlots::Slot* VersionSlots::FindAny(uint64_t version) {
  for (uint32_t i : used_) {
    if (slots_[i].version == version) return &slots_[i];
  }
  return nullptr;
}

void VersionSlots::RetireOld(const std::map<std::string, uint64_t>& labels) {
  int newer = 0;
  for (size_t k = used_.size(); k-- > 0;) {
    Slot& slot = slots_[used_[k]];
    const auto names_it = [&](const auto& label) { return label.second == slot.version; };
    if (slot.retired || newer++ < retained_ || std::ranges::any_of(labels, names_it)) continue;
    table_.Retire(used_[k]);
    slot.retired = true;
  }
}

void VersionSlots::Reclaim() {
  std::erase_if(used_, [&](uint32_t i) {
    Slot& slot = slots_[i];
    if (!slot.retired || readers_.Holds(slot.version)) return false;
    hasher_.Forget(slot.version);
    slot.version = 0;
    slot.retired = false;
    slot.buffers.clear();
    slot.sources.clear();
    slot.copies.reset();
    free_.push_back(i);
    return true;
  });
}

}  // namespace ramet::shm
