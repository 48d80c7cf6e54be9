#pragma once

#include <deque>
#include <memory>

#include "ramet/backends/gpu/driver/driver.h"
#include "ramet/base/mutex.h"

namespace ramet::gpu {

// A RunsAhead lets runs end while the device still works on them, so that the host prepares the
// next run meanwhile. It limits how far the host is ahead. Thread-safe.
class RunsAhead {
 public:
  // The queue gets the work of the runs and must outlive the object.
  explicit RunsAhead(DriverQueue& queue) : queue_(queue) {}

  // Ends a run: starts its work, and waits until the device has done that of all runs but the last
  // kMaxRuns.
  // \error kInternal: work failed, of this run or of an earlier one.
  Status End();

 private:
  static constexpr size_t kMaxRuns = 2;
  // Notes the end of a run. Returns the end that has to be waited for, or null.
  std::unique_ptr<DriverEvent> Note(std::unique_ptr<DriverEvent> end);

  DriverQueue& queue_;
  Mutex mutex_;
  std::deque<std::unique_ptr<DriverEvent>> ends_ RAMET_GUARDED_BY(mutex_);  // of unfinished runs
};

}  // namespace ramet::gpu
