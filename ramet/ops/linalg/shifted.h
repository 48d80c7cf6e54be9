#pragma once

#include "ramet/gradients/gradient_context.h"

namespace ramet {

// Returns x shifted by one element up (`by` is 1) or down (-1) along dimension `from_end`, counted
// from the end, with zeros in the free position.
Output Shifted(GradientContext& c, const Output& x, int from_end, int by);

}  // namespace ramet
