#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ramet/base/export.h"

namespace ramet {

// Says what a pass did to a plan.
struct PassEffect {
  std::string name;
  std::string description;
  bool used = false;        // the session uses the pass, and the plan is of a kind that it changes
  int64_t changes = 0;      // how many `unit`
  std::string unit;         // "steps folded"
  int64_t steps_saved = 0;  // by how many steps the plan became shorter
};

// Describes how a run with given feeds and fetches is executed.
struct PlanReport {
  int64_t nodes = 0;           // nodes of the graph that the fetches need
  int64_t steps_compiled = 0;  // steps before all passes, which traced runs execute
  int64_t steps = 0;           // steps that other runs execute
  std::vector<PassEffect> passes;
};

}  // namespace ramet
