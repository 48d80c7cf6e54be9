#pragma once

#include <cstdint>

namespace ramet::linalg {

// Computes y with y * y = a [n, n]. If a has no square root, y is NaN or unspecified. For float,
// double and their complex types. Matrices are dense and row-major; the result must not overlap the
// argument. n > 0. Runs on one thread.
template <class T>
void MatrixSqrt(int64_t n, const T* a, T* y);

}  // namespace ramet::linalg
