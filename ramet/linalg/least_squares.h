#pragma once

#include <cstdint>

namespace ramet::linalg {

// Computes x [n, k] for which the sum of the squares of a [m, n] * x - b [m, k] and of l2 * x is
// least. If several do, x is the smallest of them. With `fast`, the normal equations are solved;
// returns false if a is rank deficient or ill-conditioned. Otherwise, l2 is not used, and a may
// have any rank. For float, double and their complex types. Matrices are dense and row-major;
// results must not overlap arguments. m, n, k > 0. Runs on one thread.
template <class T>
bool LeastSquares(int64_t m, int64_t n, int64_t k, const T* a, const T* b, double l2, bool fast,
                  T* x);

}  // namespace ramet::linalg
