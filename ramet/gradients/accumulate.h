#pragma once

#include "ramet/gradients/loop_state.h"

namespace ramet {

// Returns the sum of `gradient` over all iterations of a loop. `gradient` is the gradient of
// `enter`, the Enter of a loop invariant. The sum is a variable "b_acc" of the gradient loop; for
// IndexedSlices it has the rows of all iterations.
StatusOr<Gradient> AccumulateOverLoop(LoopState& state, const Operation& enter,
                                      const Gradient& gradient);

}  // namespace ramet
