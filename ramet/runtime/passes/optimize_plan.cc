#include "ramet/runtime/passes/optimize_plan.h"

#include "ramet/runtime/fuse_steps.h"
#include "ramet/runtime/passes/plan_pass.h"
#include "ramet/runtime/step_precedence.h"

namespace ramet {
namespace {

// Reports whether passes may simplify a plan. Steps of devices round differently from those of the
// host. Steps that may wait run in the order that the edges of the graph leave open.
bool MaySimplify(const GraphData& graph, const Plan& plan) RAMET_REQUIRES_SHARED(graph.mutex) {
  return !plan.steps.empty() && !plan.traits.has_several_memories && !HasWaitingSteps(graph, plan);
}

std::unique_ptr<Plan> SimplifyPlan(const GraphData& graph, const Plan& plan,
                                   const ExecutorSettings& settings,
                                   std::vector<PassEffect>* effects) {
  PrepareThread(settings);
  PlanEditor editor(graph, plan);
  const auto passes = AllPasses();
  for (size_t p = 0; p < passes.size(); ++p) {
    if (passes[p].simplify == nullptr || !settings.passes.Has(p)) continue;
    const int32_t before = editor.num_steps();
    PassEffect& effect = (*effects)[p];
    effect.used = true;
    effect.changes = passes[p].simplify(&editor);
    editor.FinishPass();
    effect.steps_saved = before - editor.num_steps();
  }
  return editor.Finish();
}

}  // namespace

std::unique_ptr<Plan> OptimizePlan(const GraphData& graph, const Plan& plan,
                                   const ExecutorSettings& settings,
                                   std::vector<PassEffect>* effects) {
  for (const PlanPass& pass : AllPasses()) {
    effects->push_back({.name = std::string(pass.name),
                        .description = std::string(pass.description),
                        .unit = std::string(pass.unit)});
  }
  std::unique_ptr<Plan> simplified;
  if (MaySimplify(graph, plan)) simplified = SimplifyPlan(graph, plan, settings, effects);
  auto fused = FuseSteps(graph, simplified ? *simplified : plan, settings.passes, effects);
  return fused ? std::move(fused) : std::move(simplified);
}

}  // namespace ramet
