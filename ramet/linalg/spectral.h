#pragma once

#include <cstdint>

namespace ramet::linalg {

// Eigenvalues of single matrices, for T = float, double and their complex types. Matrices are dense
// and row-major. On one thread.
template <class T>
struct Spectral {
  // The eigenvalues e of the Hermitian matrix whose lower triangle is that of a, from the smallest
  // on, and the eigenvectors in the columns of v (not written if null). False if they are not
  // found.
  static bool SelfAdjointEig(int64_t n, const T* a, T* e, T* v);
};

}  // namespace ramet::linalg
