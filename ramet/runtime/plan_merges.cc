#include "ramet/runtime/plan_merges.h"

namespace ramet {
namespace {

// Returns how many inputs read each slot. A fetch counts as two.
std::vector<int> CountReaders(const PlanData& plan) {
  std::vector<int> readers(plan.slots.count, 0);
  for (const StepInput& input : plan.inputs) ++readers[input.slot];
  for (int32_t slot : plan.slots.fetches) {
    if (slot >= 0) readers[slot] += 2;
  }
  return readers;
}

// Returns, by slot, whether it carries a value into an iteration of a loop.
std::vector<bool> FindCarried(const PlanData& plan) {
  std::vector<bool> carried(plan.slots.count, false);
  for (const PlanLoop& loop : plan.loops) {
    for (int32_t slot : loop.enters) carried[slot] = true;
    for (int32_t slot : loop.next) carried[slot] = true;
  }
  return carried;
}

}  // namespace

void PlanMerges(PlanData* plan) {
  const std::vector<int> readers = CountReaders(*plan);
  const std::vector<bool> carried = FindCarried(*plan);
  for (Step& step : plan->steps) {
    auto* const merge = std::get_if<MergeStep>(&step.work);
    if (merge == nullptr) continue;
    merge->index_used = readers[step.outputs.first + 1] > 0;
    for (StepInput& input : plan->inputs_of(step)) {
      if (carried[input.slot] && readers[input.slot] == 1) input.is_last_use = true;
    }
  }
}

}  // namespace ramet
