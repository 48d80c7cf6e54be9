#pragma once

#include <functional>
#include <thread>

#include "ramet/base/mutex.h"
#include "ramet/base/status.h"
#include "ramet/replica/transport.h"

namespace ramet {

// A BackgroundJob is a thread that runs one job at a time. The destructor waits for queued jobs.
// Thread-safe.
class BackgroundJob {
 public:
  explicit BackgroundJob(RetentionOptions::AtLimit at_limit);
  ~BackgroundJob();
  // With kWait, waits until the previous job is done.
  // \error kResourceExhausted: with kSkip, the previous job is not done.
  // \error kCancelled: the client interrupts the wait.
  Status WaitForRoom();
  // Waits until the queued job is done.
  void WaitUntilDone();
  // Queues `job`, replacing one that has not started. To run every job, post each one after
  // WaitForRoom, from one thread at a time.
  void Post(std::function<void()> job);

 private:
  void Work();
  // Waits for a job. Returns nothing when the thread must end.
  std::function<void()> TakeJob();

  const RetentionOptions::AtLimit at_limit_;
  Mutex mutex_;
  CondVar changed_;
  std::function<void()> job_ RAMET_GUARDED_BY(mutex_);
  bool busy_ RAMET_GUARDED_BY(mutex_) = false;
  bool stopping_ RAMET_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace ramet
