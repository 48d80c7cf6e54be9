#pragma once

#include <optional>
#include <vector>

#include "ramet/graph/graph_impl.h"

namespace ramet {

// The shapes of what a node returns that calls one function of the library (PartitionedCall, or an
// op that is the function's name), as far as the body tells them; nullopt for other ops, and where
// nothing can be told: the function is missing or malformed, calls itself, or calls are deep.
std::optional<std::vector<Shape>> CallShapes(const GraphImpl& impl, const Op& op,
                                             const AttrMap& attrs,
                                             const std::vector<Shape>& inputs);

}  // namespace ramet
