#include "ramet/runtime/plan.h"

#include <algorithm>
#include <new>

namespace ramet {

bool PlanData::HasRefInputs(const Step& step) const {
  return std::ranges::any_of(inputs_of(step), &StepInput::is_ref);
}

std::unique_ptr<RunBuffers> Plan::TakeBuffers() {
  {
    MutexLock lock(mutex_);
    if (!pool_.empty()) {
      auto buffers = std::move(pool_.back());
      pool_.pop_back();
      return buffers;
    }
  }
  auto buffers = std::make_unique<RunBuffers>();
  buffers->values.resize(slots.count);
  buffers->scratch = StepScratch(traits.max_inputs);
  if (traits.has_control_flow) {
    buffers->dead.resize(slots.count);
    buffers->dead_steps.resize(steps.size());
  }
  for (const auto& [slot, value] : slots.presets) buffers->values[slot].tensor = value;
  return buffers;
}

void Plan::ReturnBuffers(std::unique_ptr<RunBuffers> buffers) noexcept {
  MutexLock lock(mutex_);
  try {
    pool_.push_back(std::move(buffers));
  } catch (const std::bad_alloc&) {
    // The next run makes new ones.
  }
}

}  // namespace ramet
