#include "ramet/replica/follower_state.h"

#include <algorithm>

#include "ramet/base/log.h"
#include "ramet/base/wall_clock.h"

namespace ramet {
namespace {

double SecondsSince(int64_t time_nanos) {
  return std::max(0.0, static_cast<double>(WallClockNanos() - time_nanos) / 1e9);
}

}  // namespace

void FollowerState::Begin(Source source, bool on_fallback) {
  source->model->Attach();
  MutexLock lock(mutex_);
  models_ = {source->model};
  connections_ = {std::move(source), nullptr, on_fallback};
}

void FollowerState::Stop() {
  MutexLock lock(mutex_);
  stopping_ = true;
  if (connections_.source) connections_.source->transport->Interrupt();
  if (connections_.refused) connections_.refused->Interrupt();
  if (current_.values) current_.values->transport->Interrupt();
  changed_.NotifyAll();
}

bool FollowerState::stopping() const {
  MutexLock lock(mutex_);
  return stopping_;
}

FollowerState::Source FollowerState::source() const {
  MutexLock lock(mutex_);
  return connections_.source;
}

FollowerState::Connections FollowerState::connections() {
  MutexLock lock(mutex_);
  Transport& refused = connections_.refused;
  if (refused && refused->ended()) refused.reset();
  return connections_;
}

bool FollowerState::SetSource(const Source& source) {
  MutexLock lock(mutex_);
  if (stopping_) return false;
  connections_.source = source;
  connections_.on_fallback = false;
  return true;
}

bool FollowerState::SetRefused(Transport refused) {
  MutexLock lock(mutex_);
  if (stopping_) return false;
  connections_.refused = std::move(refused);
  return true;
}

void FollowerState::Use(const Source& source, Values values, const VersionInfo& info) {
  bool is_new = false;
  {
    MutexLock lock(mutex_);
    is_new = source->model != models_.back();
  }
  if (is_new) source->model->Attach();
  source->model->impl().followed().Set(values);
  MutexLock lock(mutex_);
  if (is_new) {
    if (models_.size() > 1) models_[models_.size() - 2]->Detach();
    models_.push_back(source->model);
    ++counts_.reloads;
  }
  current_ = {std::move(values), info, Clock::now(), SecondsSince(info.time_nanos)};
  ++counts_.swaps;
  changed_.NotifyAll();
}

void FollowerState::NoteVerified(HeldValues& values, const VersionHashes& hashes) {
  MutexLock lock(mutex_);
  values.held->info.hashes = hashes;
  values.proof = VersionProof::kProven;
  ++counts_.verified;
}

void FollowerState::Refuse(const Status& why) {
  MutexLock lock(mutex_);
  if (counts_.last_refusal == why.message()) return;
  ++counts_.refused;
  LogWarning(text_, ": not followed: ", why.message());
  counts_.last_refusal = why.message();
}

void FollowerState::SetPinned(std::optional<uint64_t> version) {
  MutexLock lock(mutex_);
  pinned_ = version;
}

bool FollowerState::pinned() const {
  MutexLock lock(mutex_);
  return pinned_.has_value();
}

Session& FollowerState::session() const {
  MutexLock lock(mutex_);
  return models_.back()->session();
}

FollowerState::Values FollowerState::values() const {
  MutexLock lock(mutex_);
  return current_.values;
}

VersionInfo FollowerState::current() const {
  MutexLock lock(mutex_);
  VersionInfo info = current_.info;
  if (!current_.values) return info;
  info.proof = current_.values->proof;
  info.hashes = current_.values->held->info.hashes;
  return info;
}

FollowerStats FollowerState::stats() const {
  FollowerStats stats;
  stats.current = current();
  MutexLock lock(mutex_);
  const VersionId& id = current_.info.id;
  const FollowerSource& source = *connections_.source;
  stats.newest = source.Newest();
  const bool same_epoch = id.epoch == source.transport->announcement().epoch;
  const uint64_t from = same_epoch ? id.version : 0;
  stats.lag = stats.newest > from ? stats.newest - from : 0;
  if (id.version != 0) {
    const std::chrono::duration<double> used = Clock::now() - current_.since;
    stats.age_seconds = current_.age_then + used.count();
  }
  if (stats.lag > 0) stats.lag_seconds = stats.age_seconds;
  stats.swaps = counts_.swaps;
  stats.reloads = counts_.reloads;
  stats.proven = counts_.verified;
  stats.refused = counts_.refused;
  stats.last_refusal = counts_.last_refusal;
  stats.bytes = source.binding.bytes;
  stats.connected = source.transport->connected();
  stats.on_fallback = connections_.on_fallback;
  stats.missing = source.binding.missing;
  stats.extra = source.binding.extra;
  return stats;
}

void FollowerState::WaitForVersion(const VersionId& current, Clock::time_point deadline) {
  MutexLock lock(mutex_);
  while (current_.info.id == current && !stopping_) {
    if (!changed_.WaitUntil(mutex_, deadline)) return;
  }
}

void FollowerState::WaitForStop(Millis time) {
  const auto deadline = Clock::now() + time;
  MutexLock lock(mutex_);
  while (!stopping_ && changed_.WaitUntil(mutex_, deadline)) continue;
}

}  // namespace ramet
