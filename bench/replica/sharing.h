#pragma once

#include <string>

namespace ramet::replica_bench {

// Measures the throughput of a trainer that publishes each step and of several followers that run
// the model, all on two processors, relative to one process at a time. Prints a line for each
// number of followers.
void MeasureSharing();

// Follows the publisher at `address` and runs its model for `seconds` for each line on standard
// input. Prints the number of runs and the processor seconds each time. Returns an exit code.
int ServeInTurns(const std::string& address, double seconds);

}  // namespace ramet::replica_bench
