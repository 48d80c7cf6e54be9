#pragma once

#include <cstdint>

namespace ramet::linalg {

// Computes q and r with a [m, n] = q * r, where r is upper triangular. With `full` q is [m, m] and
// r [m, n], otherwise q is [m, p] and r [p, n], p = min(m, n). For float, double and their complex
// types. Matrices are dense and row-major; results must not overlap arguments. m, n > 0. Runs on
// one thread.
template <class T>
void Qr(int64_t m, int64_t n, const T* a, bool full, T* q, T* r);

}  // namespace ramet::linalg
