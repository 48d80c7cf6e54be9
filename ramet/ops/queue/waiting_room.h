#pragma once

#include <deque>
#include <string_view>

#include "ramet/base/blocking_scope.h"
#include "ramet/base/cancellation.h"
#include "ramet/op/kernel.h"

namespace ramet {

// How far an attempt came.
enum class Progress {
  kNone,  // it can do nothing until something else changes the state
  kSome,  // it changed the state, but has more to do
  kDone,
};

// One attempt to change a resource that may have to wait; on the stack of the thread that waits.
struct Attempt {
  bool cancelled = false;
};

// A WaitingRoom is the lock of a resource whose operations wait for each other. Attempts of one
// line take turns in the order in which they came. A wait ends when the run is cancelled, exceeds
// its time or is interrupted, or when its session is closed. While it waits, a run does not keep
// others from closing the session's StepGate. Thread-safe.
class WaitingRoom {
 public:
  using Line = std::deque<Attempt*>;

  Mutex& mutex() { return mutex_; }
  // Wakes all waits; call it after changing the state.
  void Notify() { changed_.NotifyAll(); }

  // Calls step(Status&) -> Progress under the lock, whenever it is this attempt's turn and the
  // state changed, until it is kDone; returns the status that it set. `undo()` is called under the
  // lock if the attempt ends early.
  // \error kCancelled: the run must stop, or CancelAll was called on the line.
  template <class Step, class Undo>
  Status Perform(const Cancellation* cancellation, Line& line, std::string_view operation,
                 Step&& step, Undo&& undo);

  // Ends all attempts of a line. The lock must be held.
  void CancelAll(Line& line) {
    for (Attempt* attempt : line) attempt->cancelled = true;
    Notify();
  }

 private:
  // Takes a step if it is the attempt's turn. Returns true when the attempt has ended.
  template <class Step>
  bool TakeTurn(Line& line, const Attempt& attempt, Step&& step, Status& status) {
    if (attempt.cancelled) return true;
    if (line.front() != &attempt) return false;
    const Progress progress = step(status);
    if (progress != Progress::kNone) Notify();
    return progress == Progress::kDone;
  }
  void Leave(Line& line, const Attempt& attempt) {
    std::erase(line, &attempt);
    Notify();
  }

  Mutex mutex_;
  CondVar changed_;
};

template <class Step, class Undo>
Status WaitingRoom::Perform(const Cancellation* cancellation, Line& line,
                            std::string_view operation, Step&& step, Undo&& undo) {
  Attempt attempt;
  Status status;
  {
    MutexLock lock(mutex_);
    line.push_back(&attempt);
    if (TakeTurn(line, attempt, step, status)) {
      Leave(line, attempt);
      return status;
    }
  }
  const BlockingScope blocking;
  CancellableWait wait(cancellation, mutex_, changed_);
  MutexLock lock(mutex_);
  bool stopped = false;
  while (!TakeTurn(line, attempt, step, status) && !stopped) stopped = !wait.Wait();
  if (stopped || attempt.cancelled) {
    undo();
    status = Cancelled(operation, " operation was cancelled");
  }
  Leave(line, attempt);
  return status;
}

}  // namespace ramet
