#pragma once

#include <cstddef>
#include <cstdint>

#include "ramet/base/export.h"
#include "ramet/base/status.h"

namespace ramet {

// Returns how many bytes this process can still get from the system: available memory plus free
// swap, bounded by the limit of its control group. INT64_MAX if the system does not tell.
RAMET_EXPORT int64_t AvailableMemory();

// Refuses a large block that the system would hand out but cannot back with memory, because writing
// to it would kill this process or another. Blocks below 1 GiB always pass.
// \error kResourceExhausted: the block is larger than AvailableMemory().
Status CheckAvailable(size_t bytes);

}  // namespace ramet
