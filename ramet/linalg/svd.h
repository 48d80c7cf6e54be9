#pragma once

#include <cstdint>

namespace ramet::linalg {

// Computes u, s and v with a [m, n] = u * diag(s) * v^H, where s [p] are the singular values in
// descending order, p = min(m, n). With `full` u is [m, m] and v [n, n], otherwise u is [m, p] and
// v [n, p]. Neither is computed if u is null. All results are NaN if the computation fails. For
// float, double and their complex types. Matrices are dense and row-major; results must not overlap
// arguments. m, n > 0. Runs on one thread. Defined in svd_impl.h, with one file per type.
template <class T>
void Svd(int64_t m, int64_t n, const T* a, bool full, T* s, T* u, T* v);

}  // namespace ramet::linalg
