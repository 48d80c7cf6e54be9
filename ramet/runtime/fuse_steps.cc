#include "ramet/runtime/fuse_steps.h"

#include <algorithm>

#include "ramet/runtime/fusion_builder.h"
#include "ramet/runtime/passes/plan_pass.h"

namespace ramet {
namespace {

int64_t NumPacked(std::span<const Fusion> fusions) {
  return std::ranges::count_if(fusions,
                               [](const Fusion& f) { return f.weights_kernel != nullptr; });
}

int64_t NumStepsSaved(std::span<const Fusion> fusions) {
  int64_t saved = 0;
  for (const Fusion& fusion : fusions) saved += static_cast<int64_t>(fusion.parts.size()) - 1;
  return saved;
}

}  // namespace

std::unique_ptr<Plan> FuseSteps(const GraphData& graph, const Plan& plan,
                                const ExecutorSettings& settings,
                                std::vector<PassEffect>* effects) {
  const bool on_devices = plan.traits.has_several_memories;
  if (on_devices && !plan.traits.has_releases) return nullptr;
  FusionBuilder builder(graph, plan, settings.envs);
  const auto passes = AllPasses();
  for (size_t p = 0; p < passes.size(); ++p) {
    const auto fuse = on_devices ? passes[p].fuse_on_devices : passes[p].fuse;
    if (fuse == nullptr || !settings.passes.Has(p)) continue;
    const size_t before = builder.fusions().size();
    const int64_t packed_before = NumPacked(builder.fusions());
    const int64_t saved_before = NumStepsSaved(builder.fusions());
    fuse(&builder);
    // A pass may also change the fusions of those before it.
    PassEffect& effect = (*effects)[p];
    effect.used = true;
    effect.changes = static_cast<int64_t>(builder.fusions().size() - before) +
                     NumPacked(builder.fusions().first(before)) - packed_before;
    effect.steps_saved = NumStepsSaved(builder.fusions()) - saved_before;
  }
  return builder.Finish();
}

}  // namespace ramet
