#pragma once

#include <ramet/ramet.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "model/model_version.h"

namespace server {

// RecentRuns keep the feeds of a few recent runs of a model, with which its next version is warmed
// up. At most one run per kInterval is kept, and never more than kMaxBytes. Thread-safe.
class RecentRuns {
 public:
  static constexpr std::chrono::milliseconds kInterval{50};
  static constexpr size_t kMaxRunsPerPlan = 3;
  static constexpr size_t kMaxPlans = 16;
  static constexpr size_t kMaxBytes = size_t{16} << 20;
  using Run = std::pair<RunTensors, std::vector<ramet::Tensor>>;

  // Keeps the run unless one was kept a moment ago. Costs the reading of a clock otherwise.
  void Note(const RunTensors& tensors, const std::vector<ramet::Tensor>& feeds);
  // Returns the runs, oldest first for each list of tensors.
  std::vector<Run> Get() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Kept {
    std::vector<ramet::Tensor> feeds;
    size_t bytes;
  };

  std::atomic<Clock::rep> next_ = 0;
  mutable ramet::Mutex mutex_;
  std::map<RunTensors, std::deque<Kept>> runs_ RAMET_GUARDED_BY(mutex_);
  size_t bytes_ RAMET_GUARDED_BY(mutex_) = 0;
};

}  // namespace server
