#pragma once

#include <memory>
#include <vector>

#include "ramet/runtime/passes/pass_effect.h"
#include "ramet/runtime/plan.h"
#include "ramet/runtime/run_context.h"

namespace ramet {

// Returns the plan with steps fused by the selected passes that fuse (AllPasses), or null if none
// can be. In host memory, matrix products and convolutions apply the addition of a bias or a sum,
// and Relu, as an epilogue (EpilogueKernel); sums, differences and products of one shape are
// computed, and perhaps assigned, in one pass (FusedElementwise). A device with memory of its own
// may have one kernel for several steps (FusableKernel), and products that add a bias. Steps are
// fused only if no other step reads the values between them and no step with side effects lies
// between them. An epilogue rounds differently from separate steps, so results may differ in the
// last bits. `effects` has an element for each pass.
std::unique_ptr<Plan> FuseSteps(const GraphData& graph, const Plan& plan,
                                const ExecutorSettings& settings, std::vector<PassEffect>* effects)
    RAMET_REQUIRES_SHARED(graph.mutex);

}  // namespace ramet
