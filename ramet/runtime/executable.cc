#include "ramet/runtime/executable.h"

#include "ramet/runtime/fuse_steps.h"
#include "ramet/runtime/step_precedence.h"

namespace ramet {

StatusOr<std::unique_ptr<Executable>> Executable::Compile(const GraphData& graph,
                                                          const PlanRequest& request,
                                                          KernelSource& source) {
  auto executable = std::make_unique<Executable>();
  RAMET_ASSIGN_OR_RETURN(executable->compiled_.plan, CompilePlan(graph, request, source));
  executable->fused_.plan = FuseSteps(graph, *executable->compiled_.plan);
  for (Variant* variant : {&executable->compiled_, &executable->fused_}) {
    if (variant->plan) variant->plan->precedence = TakePrecedence(graph, variant->plan.get());
  }
  return executable;
}

Plan& Executable::Choose(const RunContext& context) {
  if (context.recorder != nullptr) return *compiled_.plan;
  const bool fused = fused_.plan != nullptr && !context.settings.deterministic;
  const Variant& variant = fused ? fused_ : compiled_;
  Plan* const grouped =
      context.settings.inter_op_threads > 1 ? variant.grouping.grouped() : nullptr;
  return grouped != nullptr ? *grouped : *variant.plan;
}

StepGrouping* Executable::GroupingToProfile(const Plan& plan, const RunContext& context) {
  if (context.settings.inter_op_threads <= 1 || context.recorder != nullptr) return nullptr;
  if (!plan.precedence.after.empty()) return nullptr;
  Variant& variant = &plan == fused_.plan.get() ? fused_ : compiled_;
  return &plan == variant.plan.get() && variant.grouping.profiling() ? &variant.grouping : nullptr;
}

}  // namespace ramet
