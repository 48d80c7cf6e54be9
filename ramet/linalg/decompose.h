#pragma once

#include <cstdint>

namespace ramet::linalg {

// Decompositions of single matrices, for T = float, double and their complex types. Matrices are
// dense and row-major; results overlap no argument. On one thread.
template <class T>
struct Decompose {
  // a [m, n] = q * r, r with zeros below its diagonal. With `full` q is [m, m] and r [m, n], else q
  // is [m, p] and r [p, n], p = min(m, n). m, n > 0.
  static void Qr(int64_t m, int64_t n, const T* a, bool full, T* q, T* r);
  // a [m, n] = u * diag(s) * v^H with the singular values s [p], from the largest on, p = min(m,
  // n). With `full` u is [m, m] and v [n, n], else u is [m, p] and v [n, p]. Neither is computed if
  // u is null. m, n > 0. NaN everywhere if the values are not found.
  static void Svd(int64_t m, int64_t n, const T* a, bool full, T* s, T* u, T* v);
  // y * y = a [n, n]. What has no square root gives NaN or any values. n > 0.
  static void SquareRoot(int64_t n, const T* a, T* y);
};

}  // namespace ramet::linalg
