#pragma once

#include <cstdint>

#include "ramet/base/cancellation.h"
#include "ramet/base/export.h"

namespace ramet {

// A RunInterrupt lets a client end the call that its thread is in, say upon Ctrl-C. It belongs to
// the thread that makes it, for its life; with several of them, the last one counts. After Request
// the thread asks Due() between two pieces of work, and also now and then while it waits; if that
// says so, the token is cancelled, which is the token of runs that have none of their own.
class RAMET_EXPORT RunInterrupt {
 public:
  // `waits`: whether the thread is to ask also while it waits for other threads.
  explicit RunInterrupt(bool waits);
  virtual ~RunInterrupt();
  RunInterrupt(const RunInterrupt&) = delete;
  RunInterrupt& operator=(const RunInterrupt&) = delete;

  // That of the calling thread; null if it has none.
  static RunInterrupt* Current();
  // Has all threads ask soon. May be called by any thread.
  static void Request();

  CancellationToken& token() { return token_; }
  bool waits() const { return waits_; }
  // Asks if there was a request since the last time; on its own thread, which holds no lock.
  void Poll();
  // Asks now; as Poll.
  void Ask();

 protected:
  // Reports whether the call is to end.
  virtual bool Due() = 0;

 private:
  CancellationToken token_;
  const bool waits_;
  uint64_t seen_;
  RunInterrupt* const outer_;
  const Cancellation* const outer_cancellation_;
};

// Makes a run's cancellation that of the calling thread, which works on the run, for the life of
// this object. It may be null.
class RAMET_EXPORT CancellationScope {
 public:
  explicit CancellationScope(const Cancellation* cancellation);
  ~CancellationScope();
  CancellationScope(const CancellationScope&) = delete;
  CancellationScope& operator=(const CancellationScope&) = delete;

 private:
  const Cancellation* const outer_;
};

// A StopCheck is StopDue() for a loop that several threads share: it is made on the thread that
// runs the kernel, and any thread of the loop may ask it.
class RAMET_EXPORT StopCheck {
 public:
  StopCheck();
  bool due() const;

 private:
  const Cancellation* const cancellation_;
};

// Reports whether what the calling thread works on is to end now: its run is cancelled or late, or
// the client interrupts it. For loops that take long, every millisecond or so, without a lock. Code
// that ends early for it may leave its result undefined if it runs within a kernel: the executor
// asks again after the kernel and drops the result. Elsewhere it returns InterruptedStatus().
RAMET_EXPORT bool StopDue();
RAMET_EXPORT Status InterruptedStatus();

}  // namespace ramet
