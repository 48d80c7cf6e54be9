#include "ramet/runtime/passes/optimize_plan.h"

#include "ramet/runtime/fuse_steps.h"
#include "ramet/runtime/passes/plan_pass.h"
#include "ramet/runtime/step_precedence.h"

namespace ramet {
namespace {

using Simplify = int64_t (*)(PlanEditor* editor);

// Returns how a pass simplifies a plan, or null. Most do not on devices, whose steps round
// differently from those of the host.
Simplify SimplifyOf(const PlanPass& pass, const Plan& plan) {
  return plan.traits.has_several_memories ? pass.simplify_on_devices : pass.simplify;
}

// Reports whether passes may simplify a plan. Steps that may wait run in the order that the edges
// of the graph leave open.
bool MaySimplify(const GraphData& graph, const Plan& plan) RAMET_REQUIRES_SHARED(graph.mutex) {
  if (plan.traits.has_several_memories && plan.traits.has_control_flow) return false;
  return !plan.steps.empty() && !HasWaitingSteps(graph, plan);
}

std::unique_ptr<Plan> SimplifyPlan(const GraphData& graph, const Plan& plan,
                                   const ExecutorSettings& settings,
                                   std::vector<PassEffect>* effects) {
  PrepareThread(settings);
  PlanEditor editor(graph, plan);
  const auto passes = AllPasses();
  for (size_t p = 0; p < passes.size(); ++p) {
    const Simplify simplify = SimplifyOf(passes[p], plan);
    if (simplify == nullptr || !settings.passes.Has(p)) continue;
    const int32_t before = editor.num_steps();
    PassEffect& effect = (*effects)[p];
    effect.used = true;
    effect.changes = simplify(&editor);
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
  auto fused = FuseSteps(graph, simplified ? *simplified : plan, settings, effects);
  return fused ? std::move(fused) : std::move(simplified);
}

}  // namespace ramet
