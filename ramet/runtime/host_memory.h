#pragma once

#include <vector>

#include "ramet/op/op.h"

namespace ramet {

// Returns, for each input or output tensor of an op (`args`), whether it is in host memory on every
// device: if the op declares it so, or if it is a string, a variant or a handle.
std::vector<bool> InHostMemory(const Op& op, const std::vector<ArgSchema>& args,
                               const AttrMap& attrs);

// Reports whether a node can run on a device with its own memory, if that has a kernel for it. Ops
// that call functions of the program run on the host. Kernels of a device cannot compute on strings
// and variants unless the op keeps them in host memory or only forwards them.
bool FitsDevice(const Op& op, const AttrMap& attrs);

}  // namespace ramet
