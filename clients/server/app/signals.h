#pragma once

#include <chrono>
#include <csignal>

namespace server {

// Signals are those that the program waits for instead of being interrupted: SIGTERM, SIGINT and
// SIGHUP. Make one before any thread starts, so that all threads block them.
class Signals {
 public:
  Signals();
  // Returns the signal that came, or 0 after `time`.
  int Wait(std::chrono::milliseconds time);
  // Makes further signals end the program.
  void Release();

 private:
  sigset_t set_;
};

}  // namespace server
