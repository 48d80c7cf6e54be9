#pragma once

#include <memory>

#include "ramet/runtime/plan.h"

namespace ramet {

// The plan with products and convolutions that do what follows them themselves (FollowedKernel: the
// addition to a sum or of biases, and Relu), and with sums, differences and products of one shape
// made, and perhaps assigned, in one pass (OnePass). Only where nobody else sees the values in
// between, and nothing that has effects lies in between. Null if there is nothing to merge. Results
// of products and convolutions may differ from the plan's in the last bits. The graph's lock is
// held.
std::unique_ptr<Plan> MergeSteps(const GraphImpl& graph, const Plan& plan);

}  // namespace ramet
