#pragma once

#include "ramet/runtime/plan.h"

namespace ramet {

// Completes the Merge steps of a plan: a Merge takes over the value of a loop that nothing else
// reads, and returns the position of its live input only if something reads it.
void PlanMerges(PlanData* plan);

}  // namespace ramet
