#pragma once

#include "ramet/runtime/passes/plan_editor.h"

namespace ramet {

// Removes steps whose result is one of their inputs, and shortens chains of steps that move
// elements or cancel each other. All rules are exact, for NaN, infinities and -0 too:
//   Identity, StopGradient, PreventGradient, PlaceholderWithDefault, Cast and Bitcast to the same
//     type, AddN of one tensor, and a sum (or mean, product, ...) over no axes pass on their input.
//   -(-x), !(!x), ~(~x) and the conjugate of a conjugate: negation flips the sign bit only.
//   Integers: x + 0, x - 0, x * 1, x / 1, x | 0, x ^ 0; bools: x && true, x || false.
//   A Transpose of a Transpose is one Transpose, or nothing; a Reshape of a Reshape is one Reshape.
//   The Shape, Size or Rank of f(x) is that of x if f is element-wise and nothing else reads f(x).
// Not exact, and therefore not here: x + 0 for floats (-0 + 0 is 0); x * 1 and x - 0 for floats (a
// run flushes denormals, so the product of a denormal is 0); x * 0 and x - x (NaN, infinities).
//
// A step is bypassed only if it cannot fail. Nodes with control inputs stay, because a graph that
// computes a value again to save memory says so by control inputs. Returns the number of steps that
// were simplified.
int64_t SimplifySteps(PlanEditor* editor);

}  // namespace ramet
