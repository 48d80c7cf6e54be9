#pragma once

#include <cstdint>

#include "ramet/linalg/kernel_table.h"
#include "ramet/linalg/types.h"

namespace ramet::linalg {

// half and bfloat16 are computed in float: spans are converted in pieces of this many elements.
inline constexpr int64_t kHalfChunk = 1024;

constexpr bool IsHalf(Type type) { return type == Type::kHalf || type == Type::kBfloat16; }
// Returns the type in which `type` is computed.
constexpr Type Widened(Type type) { return IsHalf(type) ? Type::kFloat : type; }

// Convert n elements of a half type to float and back.
inline void WidenHalf(Type type, const void* x, float* y, int64_t n) {
  const KernelTable& t = Kernels();
  (type == Type::kHalf ? t.half_to_float : t.bfloat16_to_float)(x, y, n);
}
inline void NarrowHalf(Type type, const float* x, void* y, int64_t n) {
  const KernelTable& t = Kernels();
  (type == Type::kHalf ? t.float_to_half : t.float_to_bfloat16)(x, y, n);
}

// Returns p advanced by n elements of `type`.
inline const void* Advance(Type type, const void* p, int64_t n) {
  return static_cast<const char*>(p) + n * TypeSize(type);
}
inline void* Advance(Type type, void* p, int64_t n) {
  return static_cast<char*>(p) + n * TypeSize(type);
}

}  // namespace ramet::linalg
