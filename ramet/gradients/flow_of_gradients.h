#pragma once

#include <utility>
#include <vector>

#include "ramet/gradients/gradient_context.h"
#include "ramet/graph/control_flow_context.h"
#include "ramet/graph/while_context.h"

namespace ramet {

// Control flow ops on gradients. A dense gradient takes one op; IndexedSlices take one op for each
// part (values, indices, shape). Errors are those of adding nodes.

// Applies an op of one input and one output to each part: nodes "<op>", "<op>_1", "<op>_2", or
// `name` for a dense gradient.
StatusOr<Gradient> ForEachPart(Graph& graph, const Gradient& gradient, std::string_view op,
                               std::string_view name);
StatusOr<std::pair<Gradient, Gradient>> SwitchGradients(const Gradient& gradient,
                                                        const Output& pred, std::string_view name);
// Adds a Merge. If dense and sparse gradients are mixed, the result is IndexedSlices.
StatusOr<Gradient> MergeGradients(Graph& graph, const std::vector<Gradient>& gradients,
                                  std::string_view name);
// Adds an Enter of `loop`, which must be the current context.
StatusOr<Gradient> EnterLoop(WhileContext& loop, const Gradient& gradient, std::string_view name);
// Makes `next` the value of the next iteration.
// \error kInvalidArgument: the shapes of the parts do not match.
Status CloseLoop(WhileContext& loop, const Gradient& merge, const Gradient& next);

}  // namespace ramet
