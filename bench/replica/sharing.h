#pragma once

#include <string>

namespace ramet::replica_bench {

// Prints how much work a trainer that publishes each step and `followers` processes that run the
// model get done on two processors, for several numbers of followers, next to one process at a
// time.
void MeasureSharing();

// Runs the model of the publisher at `address` in turns of `seconds`: one for each line on standard
// input. Prints the runs and the processor seconds of each turn.
int ServeInTurns(const std::string& address, double seconds);

}  // namespace ramet::replica_bench
