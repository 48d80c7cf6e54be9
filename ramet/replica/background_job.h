#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "ramet/base/status.h"
#include "ramet/replica/transport.h"

namespace ramet {

// A thread that does one job at a time. Its end waits for the jobs that were taken. Thread-safe.
class BackgroundJob {
 public:
  explicit BackgroundJob(RetentionOptions::AtLimit at_limit);
  ~BackgroundJob();
  // Waits until the job before is done, with kWait. \error kResourceExhausted with kSkip if it is
  // not.
  Status WaitForRoom();
  // Takes a job, in the place of one that has not begun. Where each is to be done: after
  // WaitForRoom, by one thread at a time.
  void Post(std::function<void()> job);

 private:
  void Work();

  const RetentionOptions::AtLimit at_limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> job_;
  bool busy_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace ramet
