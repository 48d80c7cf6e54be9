#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ramet/runtime/plan.h"

namespace ramet {

// Calls `visit` with each slot that something other than a step reads: a fetch or a loop. A slot
// that several of them read is visited for each. `plan` is a PlanData, const or not.
template <class Data, class Visit>
void VisitOtherReads(Data& plan, Visit visit) {
  for (auto& slot : plan.slots.fetches) {
    if (slot >= 0) visit(slot);
  }
  for (auto& loop : plan.loops) {
    for (auto* slots : {&loop.enters, &loop.constants, &loop.next}) {
      for (auto& slot : *slots) visit(slot);
    }
    for (auto& [inside, outside] : loop.results) visit(inside);
  }
}

// Returns the innermost loop of each step, or -1.
inline std::vector<int32_t> LoopsOfSteps(const PlanData& plan) {
  std::vector<int32_t> loop_of(plan.steps.size(), -1);
  // Inner loops come after those around them.
  for (size_t l = 0; l < plan.loops.size(); ++l) {
    const IndexRange steps = plan.loops[l].steps;
    std::fill_n(loop_of.begin() + steps.first, steps.size, static_cast<int32_t>(l));
  }
  return loop_of;
}

}  // namespace ramet
