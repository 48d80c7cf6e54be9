#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "ramet/base/mutex.h"
#include "ramet/graph/graph_data.h"

namespace ramet {

class Plan;

// The profile of one run of a plan, by step.
struct StepProfile {
  std::vector<int64_t> nanos;
  std::vector<uint8_t> had_team;        // ran on several threads
  std::vector<uint8_t> names_variable;  // an input or an output names a variable
};

// A StepGrouping finds the steps of a plan that are worth running at the same time. It profiles the
// first runs of the plan. Then it groups steps that do not depend on each other, do not touch
// state, run on one thread each and take long enough. Grouping does not change results.
// Thread-safe.
class StepGrouping {
 public:
  StepGrouping();
  ~StepGrouping();
  // Reports whether the next run is to be profiled.
  bool profiling() const { return profiling_.load(std::memory_order_relaxed); }
  // Returns the plan with groups, or null before it exists or if it would not be faster.
  Plan* grouped() const { return grouped_.load(std::memory_order_acquire); }
  // Takes the profile of a run of `plan`, which has neither control flow nor devices with memory of
  // their own. Groups run on `threads` threads.
  void Note(const Plan& plan, const GraphData& graph, int threads, const StepProfile& profile);

 private:
  std::atomic<bool> profiling_ = true;
  std::atomic<Plan*> grouped_ = nullptr;
  Mutex mutex_;
  int runs_ RAMET_GUARDED_BY(mutex_) = 0;
  StepProfile shortest_ RAMET_GUARDED_BY(mutex_);  // of the runs
  std::unique_ptr<Plan> owned_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet
