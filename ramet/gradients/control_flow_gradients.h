#pragma once

#include "ramet/gradients/gradient_context.h"

namespace ramet {

// The gradients of TensorFlow 1 control flow, with the nodes and names of tf.gradients. An
// operation's context tells which branch or loop it belongs to; see
// ramet/graph/control_flow_context.h.
//
// The gradient of a Switch is a Merge of the gradients of its two outputs, with zeros for an output
// without one. The Switch of a loop variable is visited twice. The first visit, for the value that
// leaves the loop, begins a variable of the gradient loop. The second visit, for the value that
// continues, closes it.
Status SwitchGradient(GradientContext& c);
// The gradient of a Merge is a Switch, which passes it to the side that was taken.
Status MergeGradient(GradientContext& c);
// For a loop variable, the gradient leaves the gradient loop. For a loop invariant, the gradients
// are summed over the iterations.
Status EnterGradient(GradientContext& c);
// The gradient enters the gradient loop. There is none for a loop with back_prop=False.
// \error kUnimplemented: "Second-order gradient for while loops not supported."
Status ExitGradient(GradientContext& c);
Status NextIterationGradient(GradientContext& c);

}  // namespace ramet
