#pragma once

namespace ramet::linalg {

// The instruction set level that linalg's span functions run at: 2, 3 or 4 for x86-64-v2, -v3, -v4,
// and 1 on processors other than x86-64. It is the highest that processor and system have; the
// environment variable RAMET_CPU_LEVEL (2, 3, 4), read once, lowers it. Bits may differ between
// levels.
int CpuLevel();

namespace cpu_level_internal {
// For tests: makes CpuLevel() `level`, at most the detected one. Returns what it is now. Not
// thread-safe.
int OverrideForTest(int level);
}  // namespace cpu_level_internal

}  // namespace ramet::linalg
