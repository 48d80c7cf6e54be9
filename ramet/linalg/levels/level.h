#pragma once

// For files that are compiled at several instruction set levels: all they define lies in the
// namespace RAMET_LEVEL (level_v2, level_v3, level_v4; portable where compiled once), so that no
// inline function of one level can be linked in place of another's. They call no function template
// of std for the same reason.
#ifndef RAMET_LEVEL
#define RAMET_LEVEL portable
#endif

// Iterations are independent, but operands may be the result itself.
#if defined(__clang__)
#define RAMET_IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define RAMET_IVDEP _Pragma("GCC ivdep")
#endif
