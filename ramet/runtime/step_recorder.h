#pragma once

#include <span>
#include <vector>

#include "ramet/base/mutex.h"
#include "ramet/graph/graph_data.h"
#include "ramet/op/kernel.h"
#include "ramet/runtime/run_options.h"

namespace ramet {

// A step that has run.
struct StepRecord {
  const GraphData* graph = nullptr;
  std::string callers;  // names of the nodes that called the function whose body the graph is
  NodeId node = -1;
  int32_t device = 0;
  int64_t start_nanos = 0;  // since 1970
  int64_t end_nanos = 0;
  std::vector<OutputStats> outputs;
};

// A StepRecorder records the steps of one run. Thread-safe.
class StepRecorder {
 public:
  // Adds the step of a node, which began at `start_nanos` (WallClockNanos) and has just ended.
  // `followed` are the values of followed variables in this run, or null.
  void Add(const GraphData& graph, const std::string& callers, NodeId node, int32_t device,
           int64_t start_nanos, std::span<const Value> outputs, const FollowedValues* followed);
  // Returns the steps in the order in which they ended. The run is over.
  std::vector<StepRecord> TakeRecords();

 private:
  Mutex mutex_;
  std::vector<StepRecord> records_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet
