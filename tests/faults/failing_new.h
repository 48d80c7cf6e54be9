#pragma once

#include <cstdint>

namespace ramet::faults {

// Counts calls of operator new in all threads from now on and makes number `at` (from 1) throw, or
// none if 0. A negative number stops counting.
void FailAllocation(int64_t at);
// Returns the number of counted calls.
int64_t Allocations();

}  // namespace ramet::faults
