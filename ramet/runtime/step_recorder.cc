#include "ramet/runtime/step_recorder.h"

#include <utility>

namespace ramet {

void StepRecorder::Add(const GraphData& graph, const std::string& callers, NodeId node,
                       int32_t device, int64_t start_nanos, std::span<const Value> outputs) {
  StepRecord record{&graph, callers, node, device, start_nanos, Now(), {}};
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Value& value = outputs[i];
    const Tensor tensor = value.variable ? value.variable->Read() : value.tensor;
    if (tensor.empty()) continue;
    record.outputs.push_back(
        {static_cast<int>(i), tensor.dtype(), tensor.shape(),
         tensor.num_elements() * static_cast<int64_t>(DTypeSize(tensor.dtype()))});
  }
  MutexLock lock(mutex_);
  records_.push_back(std::move(record));
}

std::vector<StepRecord> StepRecorder::TakeRecords() {
  MutexLock lock(mutex_);
  return std::move(records_);
}

}  // namespace ramet
