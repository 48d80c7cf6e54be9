#pragma once

#include "ramet/runtime/plan.h"

namespace ramet {

// Says of each slot when it is free: after the last step that reads it (or at once, when nobody
// does), unless it is fetched, a constant, or carried by a loop; and of each step which inputs
// nobody reads afterwards. Steps that may run at the same time count as one.
void PlanReleases(PlanData* plan);

}  // namespace ramet
