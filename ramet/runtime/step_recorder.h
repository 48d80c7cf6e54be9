#pragma once

#include <chrono>
#include <mutex>
#include <span>
#include <vector>

#include "ramet/op/kernel.h"
#include "ramet/runtime/plan.h"
#include "ramet/runtime/run_options.h"

namespace ramet {

// A step that has run, by number.
struct StepRecord {
  const GraphImpl* graph = nullptr;
  std::string callers;  // names of the nodes that called the function whose body the graph is
  NodeId node = -1;
  int32_t device = 0;
  int64_t start_nanos = 0;  // since 1970
  int64_t end_nanos = 0;
  std::vector<OutputStats> outputs;
};

// Takes down the steps of one run, from any thread.
class StepRecorder {
 public:
  static int64_t Now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
  // A step that began at `start_nanos` and has ended now.
  void Add(const GraphImpl& graph, const std::string& callers, const Step& step,
           int64_t start_nanos, std::span<const Value> outputs);
  const std::vector<StepRecord>& records() const { return records_; }

 private:
  std::mutex mutex_;
  std::vector<StepRecord> records_;
};

}  // namespace ramet
