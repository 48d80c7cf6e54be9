#pragma once

#include "ramet/runtime/passes/plan_editor.h"

namespace ramet {

// Makes readers of a step read an earlier step that computes the same. Exact. The steps have the
// same op, attrs, inputs and control inputs, run on the same device in the same loop, and their ops
// are pure (IsPure). If an input names a variable, no step with effects may lie between them, such
// as an assignment. Small constants with equal bytes count as one. Returns the number of steps that
// were merged into others.
//
// Nodes with different control inputs stay apart, because a graph that computes a value again to
// save memory says so by control inputs.
int64_t MergeCommonSteps(PlanEditor* editor);

}  // namespace ramet
