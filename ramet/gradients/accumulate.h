#pragma once

#include "ramet/gradients/loop_state.h"

namespace ramet {

// The sum over all iterations of a loop of gradients of `gradient`, the gradient that arrives at
// `enter`, the Enter of a loop invariant: a variable of that loop, "b_acc". Of IndexedSlices the
// rows of all iterations.
StatusOr<Gradient> AccumulateOverLoop(LoopState& state, const Operation& enter,
                                      const Gradient& gradient);

}  // namespace ramet
