#pragma once

namespace ramet::linalg {

// Returns the instruction set level of linalg's span functions: 2, 3 or 4 for x86-64-v2, -v3 or
// -v4, and 1 on other processors. It is the highest level that the processor and the system
// support, unless the environment variable RAMET_CPU_LEVEL (2, 3, 4; read once) lowers it. Bits may
// differ between levels.
int CpuLevel();

namespace cpu_level_internal {
// For tests: sets CpuLevel() to `level`, or to the detected level if that is lower. Returns the new
// level. Not thread-safe.
int OverrideForTest(int level);
}  // namespace cpu_level_internal

}  // namespace ramet::linalg
