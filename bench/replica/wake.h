#pragma once

#include <vector>

namespace ramet::replica_bench {

struct Wakes {
  std::vector<double> wake;    // microseconds that futex(2) takes in the waking process
  std::vector<double> usable;  // microseconds until the other process has read a clock
};

// Measures how long the system takes to wake a sleeping process with a futex, after half a
// millisecond of work each time. It is a lower bound for every publisher that wakes followers.
Wakes WakeAnotherProcess(int times);

}  // namespace ramet::replica_bench
