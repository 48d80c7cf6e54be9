#include "http/connection.h"

#include <poll.h>

namespace server {

void LiveConnection::EndReading() {
  reading_ended_ = true;
  ::shutdown(fd_, SHUT_RD);
}

void LiveConnection::EndIfLate(Clock::time_point now) {
  if (now.time_since_epoch().count() < deadline_.load(std::memory_order_relaxed)) return;
  late_.store(true, std::memory_order_relaxed);
  phase_.load(std::memory_order_relaxed) == Phase::kWriting ? End() : EndReading();
}

// A request that is on its way is answered.
void LiveConnection::EndIfIdle() {
  if (phase_.load(std::memory_order_relaxed) == Phase::kIdle) EndReading();
}

void LiveConnection::CancelIfGone() {
  if (phase_.load(std::memory_order_relaxed) != Phase::kComputing || reading_ended_) return;
  pollfd client{fd_, POLLRDHUP, 0};
  if (::poll(&client, 1, 0) <= 0) return;
  ramet::MutexLock lock(mutex_);
  if (computed_) computed_->Cancel();
}

void ConnectionContext::Add(LiveConnection* connection) {
  ramet::MutexLock lock(mutex_);
  connections_.insert(connection);
  count_.store(connections_.size(), std::memory_order_relaxed);
}

void ConnectionContext::Remove(LiveConnection* connection) {
  ramet::MutexLock lock(mutex_);
  connections_.erase(connection);
  count_.store(connections_.size(), std::memory_order_relaxed);
  if (connections_.empty()) empty_.NotifyAll();
}

bool ConnectionContext::WaitUntilEmpty(Clock::time_point deadline) {
  ramet::MutexLock lock(mutex_);
  while (!connections_.empty()) {
    if (!empty_.WaitUntil(mutex_, deadline)) return connections_.empty();
  }
  return true;
}

}  // namespace server
