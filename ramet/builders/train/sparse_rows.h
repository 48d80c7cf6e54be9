#pragma once

#include "ramet/gradients/gradient_context.h"

namespace ramet {

// Returns IndexedSlices without repeated rows: the indices are made unique, and values with equal
// indices are summed.
Gradient SumRepeatedRows(const Gradient& gradient);

}  // namespace ramet
