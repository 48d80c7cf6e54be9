#pragma once

#include <vector>

#include "ramet/gradients/gradients.h"

namespace ramet {

// The gradients that come in at the ys: nodes "grad_ys_<k>" under the open scope, ones where none
// is given. \error kInvalidArgument as Gradients says of grad_ys.
StatusOr<std::vector<Gradient>> DefaultGradYs(Graph& graph, const std::vector<Output>& ys,
                                              const GradientsOptions& options);

}  // namespace ramet
