#pragma once

#include <vector>

namespace ramet::replica_bench {

struct Wakes {
  std::vector<double> wake;    // microseconds that futex(2) takes whoever wakes
  std::vector<double> usable;  // until the other one has looked at a clock
};

// What the system takes for telling one sleeping process something: a futex alone, after half a
// millisecond of work each. No publisher that wakes followers can be quicker.
Wakes WakeAnotherProcess(int times);

}  // namespace ramet::replica_bench
