#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "ramet/base/mutex.h"
#include "ramet/replica/redis/connection.h"
#include "ramet/replica/redis/signal.h"

namespace ramet::redis {

// A TaskQueue passes work from other threads to the sending thread of a publisher, and the results
// back. Thread-safe.
class TaskQueue {
 public:
  // `wake` is set when there is a task. It must outlive the queue.
  TaskQueue(std::string where, std::chrono::milliseconds timeout, const Signal& wake)
      : where_(std::move(where)), timeout_(timeout), wake_(wake) {}

  // Runs `work` on the sending thread, after version `after` is sent, and returns its result. If
  // the client interrupts the wait, work that has begun continues, so `work` must own what it uses.
  // \error kCancelled: the client interrupts the wait.
  // \error kUnavailable: the server could not be reached in time.
  // \error as given to Fail.
  Status Run(std::function<Status()> work, uint64_t after);

  // The functions below are for the sending thread.
  bool empty() const;
  // Runs all tasks that do not have to wait for version `unsent` (0: there is none), as long as
  // `may_run` returns true. Calls `done` with each result, before Run returns it.
  void RunTasks(const std::function<uint64_t()>& unsent, const std::function<bool()>& may_run,
                const std::function<void(const Status& status)>& done);
  // Fails the tasks whose deadline is before `now`.
  void FailOverdue(Clock::time_point now);
  // Fails all current and future tasks.
  void Fail(const Status& why);

 private:
  struct Task {
    std::function<Status()> work;
    Clock::time_point deadline;
    uint64_t after = 0;  // runs after this version is sent
    std::optional<Status> result = {};
  };
  using TaskPtr = std::shared_ptr<Task>;

  TaskPtr Next(uint64_t unsent) RAMET_EXCLUDES(mutex_);
  void Finish(Task& task, Status result) RAMET_EXCLUDES(mutex_);

  const std::string where_;
  const std::chrono::milliseconds timeout_;
  const Signal& wake_;
  mutable Mutex mutex_;
  CondVar changed_;
  std::deque<TaskPtr> tasks_ RAMET_GUARDED_BY(mutex_);
  Status failure_ RAMET_GUARDED_BY(mutex_);  // OK, or why no task can run
};

}  // namespace ramet::redis
