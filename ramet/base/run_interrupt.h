#pragma once

#include <cstdint>

#include "ramet/base/cancellation.h"
#include "ramet/base/export.h"

namespace ramet {

// A RunInterrupt lets a client end the call that its thread is executing, for example on Ctrl-C. It
// belongs to the thread that creates it. If there are several, the most recent one is active. After
// Request, the thread calls Due() between two operations, and also periodically while it waits. If
// Due() returns true, token() is cancelled, which ends the call. Sessions use token() as the token
// of runs that were given none.
class RAMET_EXPORT RunInterrupt {
 public:
  // `waits` tells whether the thread also polls while it waits for other threads.
  explicit RunInterrupt(bool waits);
  virtual ~RunInterrupt();
  RunInterrupt(const RunInterrupt&) = delete;
  RunInterrupt& operator=(const RunInterrupt&) = delete;

  // Returns the calling thread's active RunInterrupt, or null.
  static RunInterrupt* Current();
  // Makes all threads poll soon. Any thread may call it.
  static void Request();

  CancellationToken& token() { return token_; }
  bool waits() const { return waits_; }
  // Calls Due() if there was a request since the last call. Only for the owning thread, without
  // locks held.
  void Poll();
  // Like Poll, but calls Due() in any case.
  void Ask();

 protected:
  // Reports whether the call must end.
  virtual bool Due() = 0;

 private:
  CancellationToken token_;
  const bool waits_;
  uint64_t seen_;
  RunInterrupt* const outer_;
  const Cancellation* const outer_cancellation_;
};

// Sets the cancellation of the run that the calling thread works on, for the lifetime of this
// object. It may be null.
class RAMET_EXPORT CancellationScope {
 public:
  explicit CancellationScope(const Cancellation* cancellation);
  ~CancellationScope();
  CancellationScope(const CancellationScope&) = delete;
  CancellationScope& operator=(const CancellationScope&) = delete;

 private:
  const Cancellation* const outer_;
};

// A StopCheck is StopDue() for a loop that several threads share. It is created on the kernel's
// thread, and any thread of the loop may call due().
class RAMET_EXPORT StopCheck {
 public:
  StopCheck();
  bool due() const;

 private:
  const Cancellation* const cancellation_;
};

// Reports whether the calling thread should stop: its run is cancelled or late, or the client
// interrupts it. Long loops call it about every millisecond; it takes no lock. A kernel that stops
// early may leave its result undefined, because the executor checks again afterwards and drops the
// result. Other code returns InterruptedStatus().
RAMET_EXPORT bool StopDue();
RAMET_EXPORT Status InterruptedStatus();

}  // namespace ramet
