#pragma once

#include <cstdint>

namespace ramet::conformance {

// Returns how often the calling thread has called operator new.
int64_t Allocations();

}  // namespace ramet::conformance
