#pragma once

#include <cstdint>

#include "ramet/linalg/cast.h"
#include "ramet/linalg/half_spans.h"
#include "ramet/linalg/scratch.h"

// Operands of kernels that compute half types in float.
namespace ramet::linalg {

// Returns a half operand in float, in scratch memory, or the operand itself.
inline const void* Wide(Type type, ScratchUse use, const void* x, int64_t n) {
  if (!IsHalf(type)) return x;
  void* widened = Scratch(use, n * int64_t{sizeof(float)});
  Cast(type, x, Type::kFloat, widened, n);
  return widened;
}

// Returns where a result is computed: y, or float scratch memory that Narrow converts.
inline void* WideResult(Type type, ScratchUse use, void* y, int64_t n) {
  return IsHalf(type) ? Scratch(use, n * int64_t{sizeof(float)}) : y;
}

// Converts a result of a half type to y.
inline void Narrow(Type type, const void* widened, void* y, int64_t n) {
  if (IsHalf(type)) Cast(Type::kFloat, widened, type, y, n);
}

}  // namespace ramet::linalg
