#pragma once

#include <cstdint>

namespace ramet::linalg {

// Eigenvalues of single matrices for T = float, double and their complex types. Matrices are dense
// and row-major. Runs on one thread.
template <class T>
struct Spectral {
  // Computes the eigenvalues e, in ascending order, of the Hermitian matrix with the lower triangle
  // of a, and the eigenvectors as columns of v unless v is null. Returns false if the computation
  // fails.
  static bool SelfAdjointEig(int64_t n, const T* a, T* e, T* v);
};

}  // namespace ramet::linalg
