#pragma once

#include <cstdint>

#include "ramet/linalg/types.h"

namespace ramet::linalg {

// y[o, i] = the index j of the largest (smallest) x[o, j, i], the first one if several are equal.
// NaNs are handled as in TensorFlow's ArgMax. Types: bool, int8..int64, uint8..uint64, half,
// bfloat16, float, double. n >= 1; index_type is int32, int64, int16 or uint16. Uses the calling
// thread's intra-op threads and gives the same result for any number of them.
void ArgMax(Type type, Type index_type, int64_t outer, int64_t n, int64_t inner, const void* x,
            void* y);
void ArgMin(Type type, Type index_type, int64_t outer, int64_t n, int64_t inner, const void* x,
            void* y);

}  // namespace ramet::linalg
