#pragma once

#include <utility>
#include <vector>

#include "ramet/gradients/gradient_context.h"
#include "ramet/graph/control_flow_context.h"

namespace ramet {

// Control flow ops on gradients, which may be sparse: one op on a dense one, one on each part of
// IndexedSlices (values, indices, shape).

// One op of one input and output on each part: "<op>", "<op>_1", "<op>_2"; a dense one gets `name`.
StatusOr<Gradient> ForEachPart(Graph& graph, const Gradient& gradient, std::string_view op,
                               std::string_view name);
StatusOr<std::pair<Gradient, Gradient>> SwitchGradients(const Gradient& gradient,
                                                        const Output& pred, std::string_view name);
// A Merge; of dense and sparse ones mixed as IndexedSlices.
StatusOr<Gradient> MergeGradients(Graph& graph, const std::vector<Gradient>& gradients,
                                  std::string_view name);
// An Enter of `loop`, which is the current context.
StatusOr<Gradient> EnterLoop(WhileContext& loop, const Gradient& gradient, std::string_view name);
// Makes `next` the value of the next iteration. \error kInvalidArgument if the parts' shapes do not
//   fit.
Status CloseLoop(WhileContext& loop, const Gradient& merge, const Gradient& next);

}  // namespace ramet
