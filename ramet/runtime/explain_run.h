#pragma once

#include <vector>

#include "ramet/base/export.h"
#include "ramet/runtime/passes/pass_effect.h"
#include "ramet/runtime/session.h"

namespace ramet {

// Describes how a run with these feeds and fetches is executed: its steps, and what each pass did.
// Compiles the run but does not execute it. Bodies of functions are not included.
// \error as for Session::MakeCallable.
RAMET_EXPORT StatusOr<PlanReport> ExplainRun(const Session& session,
                                             const std::vector<GraphElement>& feeds,
                                             const Fetches& fetches);

}  // namespace ramet
