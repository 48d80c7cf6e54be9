#include "ramet/runtime/fuse_steps.h"

#include "ramet/runtime/fuse_elementwise.h"
#include "ramet/runtime/fuse_epilogues.h"
#include "ramet/runtime/fuse_on_devices.h"
#include "ramet/runtime/fusion_builder.h"

namespace ramet {

std::unique_ptr<Plan> FuseSteps(const GraphData& graph, const Plan& plan) {
  FusionBuilder builder(graph, plan);
  if (plan.traits.has_several_memories) {
    if (!plan.traits.has_releases) return nullptr;
    FuseOnDevices(&builder);
  } else {
    FuseEpilogues(&builder);
    FuseElementwise(&builder);
  }
  return builder.Finish();
}

}  // namespace ramet
