#pragma once

#include "ramet/replica/transport_factory.h"

namespace ramet::files {

// Returns the factory for folders of checkpoints.
const TransportFactory& Transport();

}  // namespace ramet::files
