#pragma once

#include <cstdint>

#include "ramet/linalg/types.h"

namespace ramet::linalg {

// y[i] = x[i] converted between any two types, as TensorFlow's Cast. Float to integer truncates; a
// value out of range becomes unspecified. Complex to real drops the imaginary part. Conversion to
// bool compares with 0; to half and bfloat16 it rounds to nearest even. x and y must not overlap
// unless both types have the same size. Uses the calling thread's intra-op threads.
void Cast(Type from, const void* x, Type to, void* y, int64_t n);

}  // namespace ramet::linalg
