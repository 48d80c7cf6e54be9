#pragma once

#include <cstddef>
#include <cstdint>

#include "ramet/base/export.h"
#include "ramet/base/status.h"

namespace ramet {

// The bytes of memory that this process could still get from the system: what is available and the
// free swap, bounded by the limit of its control group. INT64_MAX where the system does not say.
RAMET_EXPORT int64_t AvailableMemory();

// Refuses a large block that the system would hand out but could not back with memory: writing it
// would end this process or another one. Blocks below 1 GiB always pass.
// \error kResourceExhausted "out of host memory: 4398046511104 bytes were asked for, ..."
Status CheckAvailable(size_t bytes);

}  // namespace ramet
