#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <span>

#include "ramet/base/mutex.h"

namespace ramet {

// Waits that end early if StopDue(), for calls of publishers and followers. While they wait on the
// main thread of a client, its signal handlers may run.

enum class WaitEnd : uint8_t { kWoken, kLate, kStopped };

// Sleeps for `time`. Returns false if the caller must stop.
[[nodiscard]] bool SleepUnlessStopped(std::chrono::nanoseconds time);

// Waits like poll(2), also after a signal. Returns 0 if `deadline` has passed or the caller must
// stop.
[[nodiscard]] int PollUnlessStopped(std::span<pollfd> descriptors,
                                    std::chrono::steady_clock::time_point deadline);

// Waits for a notification of `condition`; spurious wakeups are possible. `mutex` must be held. It
// is released while StopDue() runs.
[[nodiscard]] WaitEnd WaitUnlessStopped(
    CondVar& condition, Mutex& mutex,
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max())
    RAMET_REQUIRES(mutex);

}  // namespace ramet
