#pragma once

#include <utility>

#include "ramet/graph/constant_evaluator.h"

namespace ramet {

// Returns the dtype and declared shape of the variable that a resource edge refers to, or of the
// elements of a TensorArray or list. Returns kInvalid and an unknown shape if the op that makes the
// handle cannot be determined.
std::pair<DType, Shape> HandleOf(const GraphData& graph, Endpoint e);
std::pair<DType, Shape> HandleOf(ConstantEvaluator& constants, Endpoint e);

}  // namespace ramet
