#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ramet/runtime/fusion_builder.h"
#include "ramet/runtime/passes/pass_effect.h"
#include "ramet/runtime/passes/plan_editor.h"

namespace ramet {

// A PlanPass changes a plan between compiling and running it. Runs with a trace use the plan as it
// was compiled, so that they show every node.
struct PlanPass {
  std::string_view name;
  std::string_view description;
  std::string_view unit;  // what it counts, in the plural
  // The bits of results stay the same. Deterministic sessions use these passes only, so that
  // additional fetches do not change a value.
  bool exact = false;
  // The first kinds simplify steps and return how many, for plans whose values are all in host
  // memory, and for plans with several memories and without control flow. The others fuse steps, in
  // host memory or on devices. A pass that fuses does not simplify.
  int64_t (*simplify)(PlanEditor* editor) = nullptr;
  int64_t (*simplify_on_devices)(PlanEditor* editor) = nullptr;
  void (*fuse)(FusionBuilder* builder) = nullptr;
  void (*fuse_on_devices)(FusionBuilder* builder) = nullptr;
};

// Returns all passes in the order in which they run.
std::span<const PlanPass> AllPasses();

}  // namespace ramet
