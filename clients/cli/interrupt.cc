#include "interrupt.h"

#include <signal.h>

#include <algorithm>
#include <array>
#include <thread>

namespace cli {
namespace {

constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};

volatile sig_atomic_t interrupted = 0;
std::array<struct sigaction, kSignals.size()> before;

}  // namespace

Interrupts::Interrupts() {
  struct sigaction action {};
  action.sa_handler = [](int) { interrupted = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &before[i]);
}

Interrupts::~Interrupts() {
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before[i], nullptr);
}

bool Interrupted() { return interrupted != 0; }

bool SleepUnlessInterrupted(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (!Interrupted() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(
        kInterruptCheckInterval, end - std::chrono::steady_clock::now()));
  }
  return !Interrupted();
}

}  // namespace cli
