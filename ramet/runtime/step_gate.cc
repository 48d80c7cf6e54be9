#include "ramet/runtime/step_gate.h"

namespace ramet {
namespace {

thread_local const StepGate::Pass* innermost = nullptr;

}  // namespace

StepGate::Pass::Pass(StepGate& gate) : gate_(gate), outer_(innermost) {
  outermost_ = !gate.Within();
  if (outermost_) gate_.Enter();
  innermost = this;
}

StepGate::Pass::~Pass() {
  innermost = outer_;
  if (outermost_) gate_.Leave();
}

bool StepGate::Within() const {
  for (const Pass* pass = innermost; pass != nullptr; pass = pass->outer_) {
    if (&pass->gate_ == this) return true;
  }
  return false;
}

void StepGate::Enter() {
  while ((state_.fetch_add(1, std::memory_order_acquire) & kClosed) != 0) {
    Leave();
    MutexLock lock(mutex_);
    while ((state_.load() & kClosed) != 0) changed_.Wait(mutex_);
  }
}

void StepGate::Leave() {
  if (state_.fetch_sub(1, std::memory_order_release) != kClosed + 1) return;
  MutexLock lock(mutex_);
  changed_.NotifyAll();
}

StepGate::Closing::Closing(StepGate& gate) : gate_(gate) {
  gate_.turn_.Lock();
  if (gate_.state_.fetch_or(kClosed, std::memory_order_acquire) == 0) return;
  MutexLock lock(gate_.mutex_);
  while (gate_.state_.load() != kClosed) gate_.changed_.Wait(gate_.mutex_);
}

StepGate::Closing::~Closing() {
  gate_.state_.fetch_and(~kClosed, std::memory_order_release);
  {
    MutexLock lock(gate_.mutex_);
    gate_.changed_.NotifyAll();
  }
  gate_.turn_.Unlock();
}

}  // namespace ramet
