#pragma once

#include <memory>

#include "ramet/runtime/passes/pass_effect.h"
#include "ramet/runtime/plan.h"
#include "ramet/runtime/plan_compiler.h"
#include "ramet/runtime/run_context.h"
#include "ramet/runtime/step_grouping.h"

namespace ramet {

// An Executable is a compiled run in all its variants: the plan as it was compiled, the plan after
// passes (OptimizePlan), and each of these with groups of steps that run at the same time. This is
// the one place that chooses between them. Thread-safe.
class Executable {
 public:
  // Compiles a request.
  // \error as for CompilePlan.
  static StatusOr<std::unique_ptr<Executable>> Compile(const GraphData& graph,
                                                       const PlanRequest& request,
                                                       KernelSource& source)
      RAMET_REQUIRES_SHARED(graph.mutex);

  // Returns the plan as it was compiled. All variants have its request, nodes and edit version.
  const Plan& plan() const { return *compiled_.plan; }
  // Describes the plan that runs without a trace execute.
  PlanReport Report() const;
  // Returns the variant for a run: a traced run gets the steps one by one unless it asks for fused
  // ones, and groups are used once StepGrouping has found some.
  Plan& Choose(const RunContext& context);
  // Returns the grouping that a run of the variant `plan` reports its profile to, or null if the
  // run need not be profiled.
  StepGrouping* GroupingToProfile(const Plan& plan, const RunContext& context);

 private:
  struct Variant {
    std::unique_ptr<Plan> plan;
    StepGrouping grouping;
  };

  Variant compiled_;
  Variant optimized_;  // without a plan if no pass changes it
  std::vector<PassEffect> effects_;
};

}  // namespace ramet
