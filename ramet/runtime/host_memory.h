#pragma once

#include <vector>

#include "ramet/op/op.h"

namespace ramet {

// Which of an op's inputs or outputs (`args`) are in host memory on every device, one for each
// tensor: those of which the op says so, and strings, variants and handles.
std::vector<bool> InHostMemory(const Op& op, const std::vector<ArgSchema>& args,
                               const AttrMap& attrs);

// Whether kernels of a device with memory of its own can do what a node does: they cannot compute
// on strings and variants, unless the op has them in host memory or only passes them on.
bool FitsDeviceMemory(const Op& op, const AttrMap& attrs);

}  // namespace ramet
