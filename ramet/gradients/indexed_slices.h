#pragma once

#include <vector>

#include "ramet/gradients/gradient_context.h"

namespace ramet {

// Returns a gradient as a dense tensor. A dense gradient is returned unchanged. The rows of
// IndexedSlices are summed into a tensor of the dense shape by an UnsortedSegmentSum node called
// `name` under the open scope. Returns an invalid Output if there is no gradient, or after a build
// error, which the graph keeps.
RAMET_EXPORT Output DenseGradient(const Gradient& gradient, std::string_view name = "");

// Returns the first element of a shape vector as a scalar: a node "strided_slice".
Output FirstDim(Graph& graph, const Output& shape);

// Returns the sum of several gradients of one tensor, with nodes under the open scope. If all are
// dense, the sum is an AddN on the device of the first; if they are on several devices, one AddN
// per device and one over these. If some are dense, it is an AddN of the dense forms. Otherwise it
// is IndexedSlices of the concatenated values and indices (int32 indices become int64 if both types
// occur). A single gradient is returned unchanged; an empty list gives none.
Gradient SumGradients(Graph& graph, const std::vector<Gradient>& gradients);

}  // namespace ramet
