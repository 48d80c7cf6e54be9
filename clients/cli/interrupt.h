#pragma once

#include <chrono>

namespace cli {

// While it lives, Ctrl-C (and SIGTERM, SIGHUP) do not end the program but are noted, so that a long
// command can end cleanly. A second one ends it. One at a time.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
};

// Whether one has come.
bool Interrupted();
// Sleeps, but not after one has come; whether none has.
bool SleepUnlessInterrupted(std::chrono::milliseconds time);

// How long a wait lasts at most before it looks for an interrupt.
inline constexpr std::chrono::milliseconds kGlance{100};

}  // namespace cli
