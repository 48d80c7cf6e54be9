#include "ramet/runtime/step_recorder.h"

#include <optional>
#include <utility>

#include "ramet/base/wall_clock.h"

namespace ramet {

namespace {

std::optional<OutputStats> Describe(int index, const Tensor& tensor) {
  if (tensor.empty()) return std::nullopt;
  const auto element = static_cast<int64_t>(DTypeSize(tensor.dtype()));
  return OutputStats{index, tensor.dtype(), tensor.shape(), tensor.num_elements() * element};
}

}  // namespace

void StepRecorder::Add(StepRecord record, std::span<const Value> outputs,
                       const FollowedValues* followed) {
  record.end_nanos = WallClockNanos();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Value& value = outputs[i];
    const int index = static_cast<int>(i);
    // An update that finds the value of a variable held copies it, so it is held only briefly.
    const auto described = value.variable ? Describe(index, value.variable->Read(followed))
                                          : Describe(index, value.tensor);
    if (described) record.outputs.push_back(*described);
  }
  MutexLock lock(mutex_);
  records_.push_back(std::move(record));
}

std::vector<StepRecord> StepRecorder::TakeRecords() {
  MutexLock lock(mutex_);
  return std::move(records_);
}

}  // namespace ramet
