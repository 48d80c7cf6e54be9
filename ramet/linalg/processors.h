#pragma once

#include <cstdint>
#include <string>

namespace ramet::linalg {

// Returns how many processors this process may use at the same time, at least 1: those of the
// calling thread's affinity mask, or fewer if its control group has a smaller quota of processor
// time.
int UsableProcessors();

// Reports whether more threads want to run than there are processors for them: threads of this
// machine, or threads of this process that had to give up a processor. Looks every 5 ms; between
// two looks it costs a look at the clock. `now` is steady_clock's, in nanoseconds.
bool ProcessorsAreBusy(int64_t now);

namespace processors_internal {
// The processors that the control group at `group` below `root` may use, rounded up, or 0 if there
// is no limit. Every group on the way to the root counts.
int QuotaOfGroup(const std::string& root, std::string group);
// The number before the slash in what /proc/loadavg holds: the threads that run or want to. 0 if
// `text` is something else.
int64_t RunnableThreads(const char* text);
}  // namespace processors_internal

}  // namespace ramet::linalg
