#pragma once

// For files that are compiled at several instruction set levels. All their definitions are in the
// namespace RAMET_LEVEL (level_v2, level_v3, level_v4; portable if compiled once), so that the
// linker cannot replace an inline function of one level by that of another. For the same reason
// they call no function templates of std.
#ifndef RAMET_LEVEL
#define RAMET_LEVEL portable
#endif

// Unrolls the loop that follows, which has a small constant number of iterations.
#if defined(__clang__)
#define RAMET_UNROLL _Pragma("clang loop unroll(full)")
#else
#define RAMET_UNROLL _Pragma("GCC unroll 16")
#endif

// Declares that iterations are independent. Operands may be the result itself.
#if defined(__clang__)
#define RAMET_IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define RAMET_IVDEP _Pragma("GCC ivdep")
#endif
