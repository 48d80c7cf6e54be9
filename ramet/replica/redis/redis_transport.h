#pragma once

#include "ramet/replica/transport_factory.h"

namespace ramet::redis {

// Returns the factory for Redis servers.
const TransportFactory& Transport();

}  // namespace ramet::redis
