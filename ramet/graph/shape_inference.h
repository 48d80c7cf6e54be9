#pragma once

#include <vector>

#include "ramet/graph/constant_evaluator.h"
#include "ramet/graph/graph_impl.h"

namespace ramet {

// Returns the output shapes of a node that is not in the graph yet. A call of a function has the
// shapes that the function's body gives it.
// \error kInvalidArgument: the op's shape function rejects the inputs.
StatusOr<std::vector<Shape>> InferShapes(const GraphImpl& impl, const Op& op, const AttrMap& attrs,
                                         const std::vector<Endpoint>& inputs, int num_outputs);
// InferShapes for many nodes of one graph; `constants` caches values between calls.
StatusOr<std::vector<Shape>> InferShapes(const GraphImpl& impl, ConstantEvaluator& constants,
                                         const Op& op, const AttrMap& attrs,
                                         const std::vector<Endpoint>& inputs, int num_outputs);

}  // namespace ramet
