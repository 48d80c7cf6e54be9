#include "ramet/runtime/executable.h"

#include <algorithm>

#include "ramet/runtime/passes/optimize_plan.h"
#include "ramet/runtime/step_precedence.h"

namespace ramet {

StatusOr<std::unique_ptr<Executable>> Executable::Compile(const GraphData& graph,
                                                          const PlanRequest& request,
                                                          KernelSource& source) {
  auto executable = std::make_unique<Executable>();
  RAMET_ASSIGN_OR_RETURN(executable->compiled_.plan, CompilePlan(graph, request, source));
  executable->optimized_.plan =
      OptimizePlan(graph, *executable->compiled_.plan, source.settings(), &executable->effects_);
  for (Variant* variant : {&executable->compiled_, &executable->optimized_}) {
    if (variant->plan) variant->plan->precedence = TakePrecedence(graph, variant->plan.get());
  }
  return executable;
}

PlanReport Executable::Report() const {
  const Plan& compiled = *compiled_.plan;
  const Plan& used = optimized_.plan ? *optimized_.plan : compiled;
  return {.nodes = static_cast<int64_t>(compiled.origin.nodes.size()),
          .steps_compiled = static_cast<int64_t>(compiled.steps.size()),
          .steps = std::ranges::count_if(used.steps,
                                         [](const Step& step) { return !step.Is<NoOpStep>(); }),
          .passes = effects_};
}

Plan& Executable::Choose(const RunContext& context) {
  const bool traced = context.recorder != nullptr;
  if (traced && !context.recorder->wants_fused()) return *compiled_.plan;
  const Variant& variant = optimized_.plan != nullptr ? optimized_ : compiled_;
  Plan* const grouped =
      context.settings.inter_op_threads > 1 && !traced ? variant.grouping.grouped() : nullptr;
  return grouped != nullptr ? *grouped : *variant.plan;
}

StepGrouping* Executable::GroupingToProfile(const Plan& plan, const RunContext& context) {
  if (context.settings.inter_op_threads <= 1 || context.recorder != nullptr) return nullptr;
  if (!plan.precedence.after.empty()) return nullptr;
  Variant& variant = &plan == optimized_.plan.get() ? optimized_ : compiled_;
  return &plan == variant.plan.get() && variant.grouping.profiling() ? &variant.grouping : nullptr;
}

}  // namespace ramet
