#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "ramet/base/mutex.h"
#include "ramet/replica/publisher.h"

namespace ramet {

// A PublishSchedule decides after which runs a publisher publishes without being asked, and warns
// if that fails. Thread-safe.
class PublishSchedule {
 public:
  // `where` is the address for use in messages.
  PublishSchedule(std::string where, const PublisherOptions& options)
      : where_(std::move(where)),
        every_steps_(options.every_steps),
        every_seconds_(options.every_seconds) {}

  // \error kInvalidArgument: an interval is negative.
  Status Check() const;
  // Reports whether there is an interval.
  bool is_automatic() const { return every_steps_ > 0 || every_seconds_ > 0; }
  // Counts a run that wrote variables. Returns true if a version is due after it.
  bool IsDue();
  // Logs the first failure. A version that finds no room is not a failure.
  void NoteResult(const Status& status);

 private:
  using Clock = std::chrono::steady_clock;

  const std::string where_;
  const int64_t every_steps_;
  const double every_seconds_;
  Mutex mutex_;
  int64_t runs_ RAMET_GUARDED_BY(mutex_) = 0;  // since the last version
  Clock::time_point last_ RAMET_GUARDED_BY(mutex_) = Clock::now();
  bool has_warned_ RAMET_GUARDED_BY(mutex_) = false;
};

}  // namespace ramet
