#pragma once

#include "ramet/runtime/passes/plan_editor.h"

namespace ramet {

// Makes the readers of an Identity, a StopGradient or a PreventGradient on a device read its input,
// for plans with several memories and without control flow. The steps run in the order of the plan
// whatever they read, so nodes with control inputs are bypassed too. Returns how many were.
int64_t BypassIdentities(PlanEditor* editor);

}  // namespace ramet
