#include "ramet/replica/interruptible_wait.h"

#include <algorithm>
#include <cerrno>
#include <thread>

#include "ramet/base/run_interrupt.h"
#include "ramet/replica/deadline.h"

namespace ramet {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kStopPollInterval{20};

// Returns the time at which a wait until `deadline` has to look for an interrupt.
Clock::time_point NextLook(Clock::time_point deadline) {
  if (RunInterrupt::Current() == nullptr) return deadline;
  return std::min(deadline, Clock::now() + kStopPollInterval);
}

}  // namespace

bool SleepUnlessStopped(std::chrono::nanoseconds time) {
  const auto deadline = Clock::now() + time;
  while (!StopDue()) {
    if (Clock::now() >= deadline) return true;
    std::this_thread::sleep_until(NextLook(deadline));
  }
  return false;
}

int PollUnlessStopped(std::span<pollfd> descriptors, Clock::time_point deadline) {
  while (!StopDue()) {
    const int ready =
        ::poll(descriptors.data(), descriptors.size(), MillisUntil(NextLook(deadline)));
    if (ready > 0 || (ready < 0 && errno != EINTR)) return ready;
    if (Clock::now() >= deadline) return 0;
  }
  return 0;
}

WaitEnd WaitUnlessStopped(CondVar& condition, Mutex& mutex, Clock::time_point deadline) {
  if (RunInterrupt::Current() == nullptr) {
    if (deadline != Clock::time_point::max()) {
      return condition.WaitUntil(mutex, deadline) ? WaitEnd::kWoken : WaitEnd::kLate;
    }
    condition.Wait(mutex);
    return WaitEnd::kWoken;
  }
  if (Clock::now() >= deadline) return WaitEnd::kLate;
  condition.WaitUntil(mutex, NextLook(deadline));
  mutex.Unlock();
  const bool stop = StopDue();
  mutex.Lock();
  return stop ? WaitEnd::kStopped : WaitEnd::kWoken;
}

}  // namespace ramet
