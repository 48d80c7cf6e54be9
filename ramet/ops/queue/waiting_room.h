#pragma once

#include <deque>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

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
  Progress (*take_step)(const void* step, Status& status);
  const void* step;
  Status status = {};
  bool done = false;
  bool cancelled = false;
};

// A WaitingRoom is the lock of a resource whose operations wait for each other. Attempts of one
// line take turns in the order in which they came. The thread that changes the state also takes the
// steps of the attempts that can go on now, before it unlocks: when a dequeue returns, the producer
// that waited has filled the queue again. A wait ends when the run is cancelled, exceeds its time
// or is interrupted, or when its session is closed. While it waits, a run does not keep others from
// closing the session's StepGate. Thread-safe.
class WaitingRoom {
 public:
  using Line = std::deque<Attempt*>;

  Mutex& mutex() { return mutex_; }

  // Calls step(Status&) -> Progress under the lock, whenever it is this attempt's turn and the
  // state changed, in any thread, until it is kDone; returns the status that it set. A step must
  // not call functions of this class. `undo()` is called under the lock if the attempt ends early.
  // \error kCancelled: the run must stop, or CancelAll was called on the line.
  template <class Step, class Undo>
  Status Perform(const Cancellation* cancellation, Line& line, std::string_view operation,
                 Step&& step, Undo&& undo);

  // Takes the steps that waiting attempts can take now. Call it after changing the state; the lock
  // must be held.
  void Advance();

  // Ends all attempts of a line, and advances the others. The lock must be held.
  void CancelAll(Line& line);

 private:
  void Enter(Line& line, Attempt& attempt);
  void Leave(Line& line, const Attempt& attempt);
  // Takes steps of the first attempt of a line, and of the next ones when it is done. Returns
  // whether the state changed.
  bool AdvanceLine(Line& line);

  Mutex mutex_;
  CondVar changed_;
  std::vector<Line*> lines_;  // those that are not empty
};

template <class Step, class Undo>
Status WaitingRoom::Perform(const Cancellation* cancellation, Line& line,
                            std::string_view operation, Step&& step, Undo&& undo) {
  using StepFunction = std::remove_cvref_t<Step>;
  Attempt attempt = {
      .take_step = [](const void* fn,
                      Status& status) { return (*static_cast<const StepFunction*>(fn))(status); },
      .step = &step};
  {
    MutexLock lock(mutex_);
    Enter(line, attempt);
    Advance();
    if (attempt.done) return std::move(attempt.status);
  }
  const BlockingScope blocking;
  CancellableWait wait(cancellation, mutex_, changed_);
  MutexLock lock(mutex_);
  while (!attempt.done && !attempt.cancelled && wait.Wait()) {
  }
  if (attempt.done) return std::move(attempt.status);
  undo();
  Leave(line, attempt);
  return Cancelled(operation, " operation was cancelled");
}

}  // namespace ramet
