#pragma once

#include <complex>
#include <cstdint>

namespace ramet::linalg {

// Computes the principal logarithm y of a [n, n], with exp(y) = a. If a has no logarithm, y is NaN
// or unspecified. Matrices are dense and row-major; the result must not overlap the argument. n >
// 0. Runs on one thread.
void MatrixLog(int64_t n, const std::complex<float>* a, std::complex<float>* y);
void MatrixLog(int64_t n, const std::complex<double>* a, std::complex<double>* y);

}  // namespace ramet::linalg
