#pragma once

#include "ramet/runtime/passes/plan_editor.h"

namespace ramet {

// Computes the steps that depend on constants only, and makes their outputs constants of the plan.
// Exact: the same kernels compute the same values, with denormals flushed as in a run. Only
// foldable ops are computed (OpBuilder::Foldable): no files, state, random numbers or functions. A
// fed tensor is not a constant. The sizes of results and the work are limited. A step whose kernel
// fails stays, so that its error appears when it runs. Returns the number of steps computed.
int64_t FoldConstants(PlanEditor* editor);

}  // namespace ramet
