#pragma once

#include "ramet/base/mutex.h"
#include "ramet/runtime/plan.h"

namespace ramet {

// Reports whether several steps of a plan may wait for other runs or for each other, such as an
// enqueue and a dequeue of one queue. False for plans with control flow or several memories, whose
// steps run one after another.
bool HasWaitingSteps(const GraphData& graph, const Plan& plan) RAMET_REQUIRES_SHARED(graph.mutex);

// Finds which steps have to wait for which others, for a plan with waiting steps. WaitingRun
// executes these. Returns an empty result for other plans. In the plan, an input that several steps
// read is not the last use of its value any longer, because the steps may run in any order.
StepPrecedence TakePrecedence(const GraphData& graph, Plan* plan)
    RAMET_REQUIRES_SHARED(graph.mutex);

}  // namespace ramet
