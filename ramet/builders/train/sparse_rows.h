#pragma once

#include "ramet/gradients/gradient_context.h"

namespace ramet {

// IndexedSlices without repeated rows: Unique indices, the values of equal ones summed.
Gradient SumRepeatedRows(const Gradient& gradient);

}  // namespace ramet
