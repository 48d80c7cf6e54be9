#pragma once

#include <chrono>

namespace cli {

// While an Interrupts object lives, the first Ctrl-C (or SIGTERM, SIGHUP) is only recorded, so that
// a long command can end cleanly. A second one ends the program. Only one object may exist at a
// time.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
};

// Reports whether a signal has been recorded.
bool Interrupted();
// Sleeps until `time` has passed or a signal has been recorded. Returns false after a signal.
bool SleepUnlessInterrupted(std::chrono::milliseconds time);

// How often a wait checks for an interrupt.
inline constexpr std::chrono::milliseconds kInterruptCheckInterval{100};

}  // namespace cli
