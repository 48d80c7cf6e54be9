#pragma once

#include <vector>

#include "ramet/gradients/gradient_context.h"

namespace ramet {

// A gradient as one tensor: dense ones are returned as they are; of IndexedSlices the rows are
// summed into a tensor of the dense shape by UnsortedSegmentSum, a node called `name` under the
// open scope. An invalid Output if there is no gradient, or after a build error, which the graph
// keeps.
RAMET_EXPORT Output DenseGradient(const Gradient& gradient, std::string_view name = "");

// The first dimension that a shape vector says, as a scalar "strided_slice".
Output FirstDim(Graph& graph, const Output& shape);

// The sum of several gradients of one tensor, nodes under the open scope: AddN on the device of the
// first if all are dense (one AddN per device and one over these if they are on several); AddN of
// the dense forms if some are; else IndexedSlices of the concatenated values and indices (int32
// indices become int64 when both kinds occur). One gradient is returned as it is, none as none.
Gradient SumGradients(Graph& graph, const std::vector<Gradient>& gradients);

}  // namespace ramet
