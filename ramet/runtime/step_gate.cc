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
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return (state_.load() & kClosed) == 0; });
  }
}

void StepGate::Leave() {
  if (state_.fetch_sub(1, std::memory_order_release) != kClosed + 1) return;
  std::lock_guard lock(mutex_);
  changed_.notify_all();
}

StepGate::Closing::Closing(StepGate& gate) : gate_(gate), turn_(gate.turn_) {
  if (gate_.state_.fetch_or(kClosed, std::memory_order_acquire) == 0) return;
  std::unique_lock lock(gate_.mutex_);
  gate_.changed_.wait(lock, [this] { return gate_.state_.load() == kClosed; });
}

StepGate::Closing::~Closing() {
  gate_.state_.fetch_and(~kClosed, std::memory_order_release);
  std::lock_guard lock(gate_.mutex_);
  gate_.changed_.notify_all();
}

}  // namespace ramet
