#pragma once

#include <vector>

#include "ramet/runtime/plan.h"

namespace ramet {

// Returns how many steps, fetches and loops read each slot.
std::vector<int32_t> CountReaders(const PlanData& plan);

// Drops pure steps (IsPure) whose outputs nothing reads now, and constants that nothing reads.
// `before` says how many readers each slot had: a step that never had one is a target of the run,
// which may fail, so it stays. The caller holds the graph's lock.
void DropUnreadSteps(const GraphData& graph, const std::vector<int32_t>& before, PlanData* plan);

}  // namespace ramet
