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
  int64_t input_bytes = 0;
  std::vector<NodeId> fused;  // the nodes of a fused step
};

// A StepRecorder records the steps of one run. Thread-safe.
class StepRecorder {
 public:
  // Steps run one by one, or as in other runs.
  enum class Detail { kNodes, kFusedSteps };

  explicit StepRecorder(Detail detail) : detail_(detail) {}
  bool wants_fused() const { return detail_ == Detail::kFusedSteps; }

  // Adds a step that has just ended. Its outputs are read from `outputs`; `followed` are the values
  // of followed variables in this run, or null.
  void Add(StepRecord record, std::span<const Value> outputs, const FollowedValues* followed);
  // Returns the steps in the order in which they ended. The run is over.
  std::vector<StepRecord> TakeRecords();

 private:
  const Detail detail_;
  Mutex mutex_;
  std::vector<StepRecord> records_ RAMET_GUARDED_BY(mutex_);
};

}  // namespace ramet
