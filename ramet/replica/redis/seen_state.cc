#include "ramet/replica/redis/seen_state.h"

#include <algorithm>
#include <utility>

namespace ramet::redis {

StatusOr<Seen> ReadSeen(const Keys& keys, Connection& connection) {
  RAMET_RETURN_IF_ERROR(connection.Send({"GET", keys.state()}));
  RAMET_RETURN_IF_ERROR(connection.Send({"GET", keys.lock()}));
  RAMET_ASSIGN_OR_RETURN(const Reply state, connection.Receive(kMaxStateBytes));
  RAMET_ASSIGN_OR_RETURN(const Reply lock, connection.Receive());
  RAMET_RETURN_IF_ERROR(ErrorOf(state));
  Seen seen;
  seen.linked = true;
  seen.alive = !lock.view().empty();
  seen.published = !state.nil();
  if (seen.published) {
    RAMET_ASSIGN_OR_RETURN(seen.state, ParseState(state.view()));
  }
  return seen;
}

void SeenState::Begin(uint64_t epoch, Seen seen) {
  MutexLock lock(mutex_);
  epoch_ = epoch;
  seen_ = std::move(seen);
  Changed();
}

bool SeenState::IsCurrent() const { return seen_.published && seen_.state.epoch == epoch_; }

void SeenState::Changed() {
  ++changes_;
  changed_.NotifyAll();
}

ServerState SeenState::state() const {
  MutexLock lock(mutex_);
  return seen_.state;
}

uint64_t SeenState::Newest(std::string_view label) const {
  MutexLock lock(mutex_);
  if (!IsCurrent()) return 0;
  if (label.empty()) return seen_.state.version;
  const auto found = seen_.state.labels.find(std::string(label));
  return found == seen_.state.labels.end() ? 0 : found->second;
}

std::vector<uint64_t> SeenState::Versions() const {
  MutexLock lock(mutex_);
  return IsCurrent() ? seen_.state.versions : std::vector<uint64_t>();
}

bool SeenState::connected() const {
  MutexLock lock(mutex_);
  return seen_.linked && seen_.alive && IsCurrent();
}

bool SeenState::superseded() const {
  MutexLock lock(mutex_);
  return seen_.published && seen_.state.epoch != epoch_;
}

void SeenState::Note(Seen seen) {
  MutexLock lock(mutex_);
  if (seen == seen_) return;
  seen_ = std::move(seen);
  Changed();
}

void SeenState::NoteCut() {
  MutexLock lock(mutex_);
  if (!seen_.linked) return;
  seen_.linked = false;
  Changed();
}

void SeenState::Wait(uint64_t* seen, Clock::time_point deadline) {
  const auto until = std::min(deadline, Clock::now() + std::chrono::hours(1));
  MutexLock lock(mutex_);
  while (changes_ == *seen && !interrupted_ && changed_.WaitUntil(mutex_, until)) continue;
  *seen = changes_;
}

void SeenState::WaitForInterrupt(std::chrono::milliseconds time) {
  const auto deadline = Clock::now() + time;
  MutexLock lock(mutex_);
  while (!interrupted_ && changed_.WaitUntil(mutex_, deadline)) continue;
}

void SeenState::Interrupt() {
  MutexLock lock(mutex_);
  interrupted_ = true;
  changed_.NotifyAll();
}

}  // namespace ramet::redis
