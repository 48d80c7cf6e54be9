#pragma once

#include <pthread.h>
#include <signal.h>

namespace ramet::linalg {

// Every signal except for faults, which come from the thread's own code.
inline sigset_t SignalsOfOthers() {
  sigset_t signals;
  sigfillset(&signals);
  for (const int kept : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) {
    sigdelset(&signals, kept);
  }
  return signals;
}

// Keeps signals away from the calling thread for the life of this object; they come afterwards. A
// signal handled on a thread within oneDNN 2.6's generated products makes them write outside of
// their buffers, as if values were kept below the stack pointer: Gemm.LargeProductsBearSignals.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    const sigset_t signals = SignalsOfOthers();
    pthread_sigmask(SIG_BLOCK, &signals, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace ramet::linalg
