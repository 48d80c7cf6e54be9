#pragma once

#include "ramet/runtime/plan.h"

namespace ramet {

// Determines when each slot is free: after the last step that reads it, or at once if none does.
// Slots that are fetched, hold a constant or are carried by a loop are never freed. Marks the
// inputs that no later step reads. Steps that may run at the same time count as one.
void PlanReleases(PlanData* plan);

}  // namespace ramet
