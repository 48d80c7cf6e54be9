#pragma once

#include <pthread.h>
#include <signal.h>

namespace ramet::linalg {

// Returns every signal except for faults, which the thread's own code causes.
inline sigset_t AsynchronousSignals() {
  sigset_t signals;
  sigfillset(&signals);
  for (const int kept : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) {
    sigdelset(&signals, kept);
  }
  return signals;
}

// Blocks signals on the calling thread for the lifetime of this object and delivers them
// afterwards. A signal handled on a thread inside oneDNN 2.6's generated matrix products makes them
// write outside of their buffers, as if they kept values below the stack pointer (test
// Gemm.LargeProductsSurviveSignals).
class SignalsBlocked {
 public:
  SignalsBlocked() {
    const sigset_t signals = AsynchronousSignals();
    pthread_sigmask(SIG_BLOCK, &signals, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace ramet::linalg
