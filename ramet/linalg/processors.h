#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ramet::linalg {

// Returns how many processors this process may use at the same time, at least 1: those in the
// calling thread's affinity mask, or fewer if its control group has a smaller CPU quota.
int UsableProcessors();

// Reports whether threads compete for the processors: the machine has more runnable threads than
// processors, or threads of this process were preempted. Checks every 5 ms; in between it only
// compares times. `now` is the steady_clock in nanoseconds.
bool ProcessorsAreBusy(int64_t now);

namespace processors_internal {
// Returns how many processors the control group `group` below `root` may use, rounded up, or 0 if
// it is unlimited. All its parent groups count.
int QuotaOfGroup(const std::string& root, std::string group);
// Returns the number of runnable threads in the content of /proc/loadavg (the number before the
// slash), or 0 if `text` is malformed.
int64_t RunnableThreads(const char* text);
// Makes ProcessorsAreBusy return `busy`; nullopt: makes it look at the system again.
void Pretend(std::optional<bool> busy);
}  // namespace processors_internal

}  // namespace ramet::linalg
