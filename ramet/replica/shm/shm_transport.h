#pragma once

#include "ramet/replica/transport_factory.h"

namespace ramet::shm {

// Returns the factory for shared memory.
const TransportFactory& Transport();

}  // namespace ramet::shm
