#pragma once

#include <memory>
#include <vector>

#include "ramet/runtime/passes/pass_effect.h"
#include "ramet/runtime/plan.h"
#include "ramet/runtime/run_context.h"

namespace ramet {

// Returns the plan after the passes that the settings select (AllPasses), or null if none of them
// changes it. Appends what each pass did to `effects`. Takes time in proportion to the steps.
std::unique_ptr<Plan> OptimizePlan(const GraphData& graph, const Plan& plan,
                                   const ExecutorSettings& settings,
                                   std::vector<PassEffect>* effects)
    RAMET_REQUIRES_SHARED(graph.mutex);

}  // namespace ramet
