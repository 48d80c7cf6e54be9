#pragma once

#include <vector>

#include "ramet/gradients/gradients.h"

namespace ramet {

// Returns the gradients of the ys: nodes "grad_ys_<k>" under the open scope, ones by default.
// \error kInvalidArgument: see Gradients about grad_ys.
StatusOr<std::vector<Gradient>> DefaultGradYs(Graph& graph, const std::vector<Output>& ys,
                                              const GradientsOptions& options);

}  // namespace ramet
