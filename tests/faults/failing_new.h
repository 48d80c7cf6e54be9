#pragma once

#include <cstdint>

namespace ramet::faults {

// Counts calls of operator new from now on, in all threads, and lets number `at` (from 1) throw; 0:
// none of them. Negative: they are not counted any more.
void FailAllocation(int64_t at);
// How many were counted.
int64_t Allocations();

}  // namespace ramet::faults
