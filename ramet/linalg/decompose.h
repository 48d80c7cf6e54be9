#pragma once

#include <cstdint>

namespace ramet::linalg {

// Decompositions of single matrices for T = float, double and their complex types. Matrices are
// dense and row-major; results must not overlap arguments. Runs on one thread.
template <class T>
struct Decompose {
  // a [m, n] = q * r, where r is upper triangular. With `full` q is [m, m] and r [m, n], otherwise
  // q is [m, p] and r [p, n], p = min(m, n). m, n > 0.
  static void Qr(int64_t m, int64_t n, const T* a, bool full, T* q, T* r);
  // a [m, n] = u * diag(s) * v^H with the singular values s [p] in descending order, p = min(m, n).
  // With `full` u is [m, m] and v [n, n], otherwise u is [m, p] and v [n, p]. Neither is computed
  // if u is null. m, n > 0. All results are NaN if the computation fails.
  static void Svd(int64_t m, int64_t n, const T* a, bool full, T* s, T* u, T* v);
  // y * y = a [n, n]. Without a square root, y is NaN or unspecified. n > 0.
  static void SquareRoot(int64_t n, const T* a, T* y);
};

}  // namespace ramet::linalg
