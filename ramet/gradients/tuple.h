#pragma once

#include <vector>

#include "ramet/gradients/gradient_context.h"

namespace ramet {

// Returns the gradients, each through an Identity that runs after all of them are computed
// (tf.tuple): nodes "<name>/group_deps" and "<name>/control_dependency[_k]", each Identity
// colocated with its tensor. Missing gradients stay missing; if all are missing, nothing is added.
RAMET_EXPORT std::vector<Gradient> Tuple(Graph& graph, const std::vector<Gradient>& gradients,
                                         std::string_view name = "tuple");

}  // namespace ramet
