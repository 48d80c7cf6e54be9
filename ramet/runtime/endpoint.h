#pragma once

#include <cstdint>
#include <functional>

#include "ramet/graph/graph_data.h"

namespace ramet {

inline Endpoint ToEndpoint(const Output& output) { return {output.op().id(), output.index()}; }

// The hash function of maps from Endpoint.
struct EndpointHash {
  size_t operator()(Endpoint e) const { return std::hash<uint64_t>()(EndpointKey(e)); }
};

}  // namespace ramet
