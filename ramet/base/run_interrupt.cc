#include "ramet/base/run_interrupt.h"

#include <atomic>

namespace ramet {
namespace {

std::atomic<uint64_t> requests = 0;
thread_local RunInterrupt* current = nullptr;
thread_local const Cancellation* current_cancellation = nullptr;

}  // namespace

RunInterrupt::RunInterrupt(bool waits)
    : waits_(waits),
      seen_(requests.load(std::memory_order_relaxed)),
      outer_(current),
      outer_cancellation_(current_cancellation) {
  current = this;
  current_cancellation = nullptr;
}

RunInterrupt::~RunInterrupt() {
  current = outer_;
  current_cancellation = outer_cancellation_;
}

RunInterrupt* RunInterrupt::Current() { return current; }

void RunInterrupt::Request() { requests.fetch_add(1, std::memory_order_relaxed); }

void RunInterrupt::Poll() {
  if (requests.load(std::memory_order_relaxed) != seen_) Ask();
}

void RunInterrupt::Ask() {
  seen_ = requests.load(std::memory_order_relaxed);
  if (!token_.cancelled() && Due()) token_.Cancel();
}

CancellationScope::CancellationScope(const Cancellation* cancellation)
    : outer_(current_cancellation) {
  current_cancellation = cancellation;
}

CancellationScope::~CancellationScope() { current_cancellation = outer_; }

StopCheck::StopCheck() : cancellation_(current_cancellation) {}

bool StopCheck::due() const {
  if (current_cancellation == cancellation_) return StopDue();
  return cancellation_ != nullptr && cancellation_->due();
}

bool StopDue() {
  RunInterrupt* const interrupt = current;
  if (interrupt != nullptr) interrupt->Poll();
  if (current_cancellation != nullptr) return current_cancellation->due();
  return interrupt != nullptr && interrupt->token().cancelled();
}

Status InterruptedStatus() {
  if (current_cancellation != nullptr && current_cancellation->due()) {
    return current_cancellation->status();
  }
  return Cancelled("The call was interrupted");
}

}  // namespace ramet
