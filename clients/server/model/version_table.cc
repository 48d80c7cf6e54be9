#include "model/version_table.h"

#include <algorithm>

namespace server {
namespace {

// Versions that ended and are still listed. A trainer that writes a version each minute needs a
// week for as many.
constexpr size_t kMaxEntries = 10000;

bool IsDue(const VersionTable::Entry& entry) {
  return entry.wanted &&
         (entry.state == VersionState::kStart || entry.state == VersionState::kLoading);
}

}  // namespace

void VersionTable::SetWanted(const std::vector<FoundVersion>& wanted) {
  std::map<int64_t, std::string> paths;
  for (const FoundVersion& version : wanted) paths.emplace(version.number, version.path);
  for (auto& [number, entry] : entries_) {
    const bool is_wanted = paths.contains(number);
    if (is_wanted && !entry.wanted && entry.state == VersionState::kEnd) entry = Entry();
    if (!is_wanted && IsDue(entry)) entry.state = VersionState::kEnd;
    entry.wanted = is_wanted;
  }
  for (const auto& [number, path] : paths) entries_[number].path = path;
  ForgetOldest();
}

void VersionTable::RestartChanged() {
  for (auto& [number, entry] : entries_) {
    const bool failed = entry.state == VersionState::kEnd && !entry.status.ok() && entry.wanted;
    if (!failed || LookAtFiles(entry.path).digest == entry.files) continue;
    const std::string path = entry.path;
    entry = Entry();
    entry.path = path;
  }
}

VersionTable::Entries::value_type* VersionTable::NextToLoad(Clock::time_point now) {
  for (auto& item : entries_) {
    if (IsDue(item.second) && item.second.next_attempt <= now) return &item;
  }
  return nullptr;
}

std::optional<VersionTable::Clock::time_point> VersionTable::NextAttempt() const {
  std::optional<Clock::time_point> next;
  for (const auto& [number, entry] : entries_) {
    if (IsDue(entry)) next = std::min(next.value_or(entry.next_attempt), entry.next_attempt);
  }
  return next;
}

VersionTable::Entries::value_type* VersionTable::NextToUnload() {
  bool is_replaced = true;
  for (const auto& [number, entry] : entries_) {
    if (entry.wanted) is_replaced = false;
  }
  for (const auto& [number, entry] : entries_) {
    is_replaced |= entry.wanted && entry.state == VersionState::kAvailable;
  }
  if (!is_replaced) return nullptr;
  for (auto item = entries_.rbegin(); item != entries_.rend(); ++item) {
    if (!item->second.wanted && item->second.state == VersionState::kAvailable) return &*item;
  }
  return nullptr;
}

void VersionTable::NoteFreed(int64_t number) {
  Entry* entry = Find(number);
  if (entry == nullptr || entry->state != VersionState::kUnloading) return;
  entry->state = entry->wanted ? VersionState::kStart : VersionState::kEnd;
}

bool VersionTable::IsAvailable(int64_t number) const {
  const auto found = entries_.find(number);
  return found != entries_.end() && found->second.state == VersionState::kAvailable;
}

VersionTable::Entry* VersionTable::Find(int64_t number) {
  const auto found = entries_.find(number);
  return found == entries_.end() ? nullptr : &found->second;
}

std::vector<VersionStatus> VersionTable::Statuses() const {
  std::vector<VersionStatus> statuses;
  for (const auto& [number, entry] : entries_) {
    statuses.push_back({number, entry.state, entry.status});
  }
  return statuses;
}

void VersionTable::ForgetOldest() {
  for (auto at = entries_.end(); at != entries_.begin() && entries_.size() > kMaxEntries;) {
    --at;
    const bool ended = at->second.state == VersionState::kEnd && !at->second.wanted;
    if (ended) at = entries_.erase(at);
  }
}

}  // namespace server
