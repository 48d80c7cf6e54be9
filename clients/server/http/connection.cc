#include "http/connection.h"

namespace server {

void LiveConnection::EndIfLate(Clock::time_point now) {
  if (now.time_since_epoch().count() < deadline_.load(std::memory_order_relaxed)) return;
  late_.store(true, std::memory_order_relaxed);
  const bool writing = phase_.load(std::memory_order_relaxed) == Phase::kWriting;
  ::shutdown(fd_, writing ? SHUT_RDWR : SHUT_RD);
}

// After SHUT_RD the kernel still delivers the bytes that it has received, so a request that is on
// its way is answered.
void LiveConnection::EndIfIdle() {
  if (phase_.load(std::memory_order_relaxed) == Phase::kIdle) ::shutdown(fd_, SHUT_RD);
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
