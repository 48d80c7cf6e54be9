#pragma once

#include "ramet/gradients/gradient_context.h"

namespace ramet {

// The gradients of TensorFlow 1's control flow, with the nodes and names that tf.gradients gives
// them. Which of a branch and a loop an operation is part of is known from its context, see
// ramet/graph/control_flow_context.h.
//
// A Switch passes a gradient on from the side that was taken: a Merge of the two gradients, with
// zeros on the side that has none. The Switch of a loop variable is visited twice: for what leaves
// the loop it begins a variable of the loop of gradients, for what goes on it closes it.
Status SwitchGradient(GradientContext& c);
// A Merge passes its gradient on to the side that was taken: a Switch.
Status MergeGradient(GradientContext& c);
// A loop variable's gradient leaves the loop of gradients; the gradients of a loop invariant are
// summed up over the iterations.
Status EnterGradient(GradientContext& c);
// The gradient enters the loop of gradients; none through a loop with back_prop=False.
// \error kUnimplemented "Second-order gradient for while loops not supported."
Status ExitGradient(GradientContext& c);
Status NextIterationGradient(GradientContext& c);

}  // namespace ramet
