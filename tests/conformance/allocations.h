#pragma once

#include <cstdint>

namespace ramet::conformance {

// How often the calling thread has called operator new.
int64_t Allocations();

}  // namespace ramet::conformance
