#include "ramet/runtime/passes/plan_pass.h"

#include <array>

#include "ramet/runtime/fuse_elementwise.h"
#include "ramet/runtime/fuse_epilogues.h"
#include "ramet/runtime/fuse_on_devices.h"
#include "ramet/runtime/passes/bypass_identities.h"
#include "ramet/runtime/passes/fold_batch_norms.h"
#include "ramet/runtime/passes/fold_constants.h"
#include "ramet/runtime/passes/merge_common_steps.h"
#include "ramet/runtime/passes/pack_weights.h"
#include "ramet/runtime/passes/simplify_steps.h"

namespace ramet {
namespace {

// Folding comes first, because the other passes look at constants.
constexpr std::array kPasses = {
    PlanPass{.name = "constant_folding",
             .description = "computes steps that depend on constants only",
             .unit = "steps folded",
             .exact = true,
             .simplify = &FoldConstants},
    PlanPass{.name = "arithmetic",
             .description = "bypasses steps that return an input or cancel each other",
             .unit = "steps simplified",
             .exact = true,
             .simplify = &SimplifySteps,
             .simplify_on_devices = &BypassIdentities},
    PlanPass{.name = "common_subexpressions",
             .description = "computes equal steps once",
             .unit = "steps merged",
             .exact = true,
             .simplify = &MergeCommonSteps},
    PlanPass{.name = "device_fusion",
             .description = "fuses steps of a device into one kernel",
             .unit = "kernels made",
             .fuse_on_devices = &FuseOnDevices},
    PlanPass{.name = "batch_norm_folding",
             .description = "normalizes batches for inference inside products",
             .unit = "products fused",
             .fuse = &FoldBatchNorms},
    PlanPass{.name = "epilogues",
             .description = "adds a bias or a sum, and applies Relu, inside products",
             .unit = "products fused",
             .fuse = &FuseEpilogues,
             .fuse_on_devices = &FuseEpiloguesOnDevices},
    PlanPass{.name = "packed_weights",
             .description = "packs constant operands and variables of products once per version",
             .unit = "products",
             .fuse = &PackWeights},
    PlanPass{.name = "elementwise",
             .description = "computes element-wise steps in one pass over memory",
             .unit = "groups fused",
             .fuse = &FuseElementwise},
};

}  // namespace

std::span<const PlanPass> AllPasses() { return kPasses; }

}  // namespace ramet
