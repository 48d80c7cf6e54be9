#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace ramet::faults {

// System calls by what they do. Sets are combined with |.
enum Calls : uint32_t {
  kChanges = 1,  // of names and contents of files
  kReads = 2,
  kOpens = 4,  // makes a descriptor: files, sockets, memory
  kWaits = 8,  // may be interrupted by a signal
  kThreads = 16,
  kMaps = 32,
  kAll = ~0u,
};

// The fate of call number `at` (from 1) among the calls that are counted.
struct Fault {
  enum class Kind : uint8_t { kNone, kKill, kError, kShort };
  Kind kind = Kind::kNone;
  uint32_t calls = kChanges;
  uint64_t at = 0;
  int error = 0;            // of kError: an errno
  uint64_t every_more = 0;  // of kError: also each so many-th call after it; 0: none
};

// How a traced process went.
struct Outcome {
  enum class End : uint8_t { kExited, kKilled, kHung };
  End end = End::kExited;
  int status = 0;      // its exit status, or the signal
  uint64_t calls = 0;  // that were counted
  bool happened = false;
  std::string call;  // the number of the call that the fault was about
};

// Reports whether this system lets a process trace its children and this processor is known.
bool CanTrace();

// Runs `work` in a child process, whose system calls between Begin and End (all threads') are
// counted, and lets `fault` happen. The child is killed after a time that no work takes. This
// process has no threads and no other children meanwhile. `work` returns an exit status.
Outcome RunTraced(const std::function<int()>& work, const Fault& fault);

// To be called by `work`.
void Begin();
void End();

// Runs `work` in a child process that is not traced, and returns its exit status, or the signal
// that it died by as a negative number.
int RunAside(const std::function<int()>& work);

// How many of the calls a test lets fail: one of so many (RAMET_FAULTS_ALL set: all).
uint64_t Stride(uint64_t calls, uint64_t wanted);

}  // namespace ramet::faults
