#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "ramet/graph/graph_impl.h"

namespace ramet {

class Plan;

// What one run of a plan showed of each of its steps.
struct StepProfile {
  std::vector<int64_t> nanos;
  std::vector<uint8_t> had_team;        // ran on several threads
  std::vector<uint8_t> names_variable;  // an input or an output does
};

// Finds out which steps of a plan are worth running at the same time. The plan's first runs are
// measured; then steps that depend on one another in no way, touch no state, run on one thread each
// and take long enough are put into groups. What they compute does not change. Thread-safe.
class StepGrouping {
 public:
  StepGrouping();
  ~StepGrouping();
  // Whether runs are still to be measured.
  bool measuring() const { return measuring_.load(std::memory_order_relaxed); }
  // The plan with groups; null as long as there is none, or if it would not be quicker.
  Plan* grouped() const { return grouped_.load(std::memory_order_acquire); }
  // A run of `plan`, which has neither control flow nor devices with memory of their own, took
  // this; groups are run on `threads` threads.
  void Note(const Plan& plan, const GraphImpl& graph, int threads, const StepProfile& profile);

 private:
  std::atomic<bool> measuring_ = true;
  std::atomic<Plan*> grouped_ = nullptr;
  std::mutex mutex_;
  int runs_ = 0;
  StepProfile least_;
  std::unique_ptr<Plan> owned_;
};

}  // namespace ramet
