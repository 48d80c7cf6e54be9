#pragma once

#include <optional>
#include <vector>

#include "ramet/graph/graph_impl.h"

namespace ramet {

// Returns the output shapes of a node that calls one function of the library (PartitionedCall, or
// an op named after the function), as far as the body determines them. Returns nullopt for other
// ops, and if the function is missing, malformed or recursive, or calls are nested too deep.
std::optional<std::vector<Shape>> CallShapes(const GraphImpl& impl, const Op& op,
                                             const AttrMap& attrs,
                                             const std::vector<Shape>& inputs);

}  // namespace ramet
