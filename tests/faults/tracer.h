#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace ramet::faults {

// System calls by their effect. Combine sets with |.
enum Calls : uint32_t {
  kChanges = 1,  // changes names or contents of files
  kReads = 2,
  kOpens = 4,  // creates a descriptor: files, sockets, memory
  kWaits = 8,  // may be interrupted by a signal
  kThreads = 16,
  kMaps = 32,
  kAll = ~0u,
};

// A fault in call number `at` (from 1) of the counted calls.
struct Fault {
  enum class Kind : uint8_t { kNone, kKill, kError, kShort };
  Kind kind = Kind::kNone;
  uint32_t calls = kChanges;
  uint64_t at = 0;
  int error = 0;  // for kError: an errno
  // For kError: after call `at`, every every_more-th counted call fails too; 0: none.
  uint64_t every_more = 0;
};

// How a traced process ended.
struct Outcome {
  enum class End : uint8_t { kExited, kKilled, kHung };
  End end = End::kExited;
  int status = 0;      // its exit status or signal
  uint64_t calls = 0;  // the number of counted calls
  bool happened = false;
  std::string call;  // the system call number of the call that had the fault
};

// Reports whether this system allows tracing child processes and the processor is supported.
bool CanTrace();

// Runs `work` in a child process with a fault. Counts the system calls of all its threads between
// Begin and End. The child leads a process group of its own; it is killed if it takes far longer
// than expected. The caller's process must have no threads. `work` returns an exit status.
Outcome RunTraced(const std::function<int()>& work, const Fault& fault);

// Called by `work`.
void Begin();
void End();

// Runs `work` in a child process without tracing. Returns its exit status, or the negative number
// of the signal that ended it.
int RunAside(const std::function<int()>& work);

// Returns the n for which every n-th of `calls` calls fails about `wanted` times; 1 if
// RAMET_FAULTS_ALL is set.
uint64_t Stride(uint64_t calls, uint64_t wanted);

}  // namespace ramet::faults
